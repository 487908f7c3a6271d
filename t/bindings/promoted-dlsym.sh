# A library becomes global by the dlopen that dlsym found in the C library, but only in the recording.
. "$traps/unseen-promoted-dlsym.sh"
lib liba.so a.c -Wl,-soname,liba.so
lib libx.so x.c -Wl,--no-as-needed -lb -la
pilot='$serve ./main a b'
run='$serve ./main a'
want=any
