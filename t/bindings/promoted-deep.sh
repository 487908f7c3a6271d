# A plugin opened with RTLD_DEEPBIND makes a library global, but only in the recording.
. "$traps/unseen-promoted-deep.sh"
lib liba.so a.c -Wl,-soname,liba.so
lib libx.so x.c -Wl,--no-as-needed -lb -la
pilot='$serve ./main a b'
run='$serve ./main a'
want=any
