# A library that the recording did not see becomes global by dlmopen into the base namespace.
. "$traps/unseen-promoted.sh"
sed -i '1i#define _GNU_SOURCE
s/dlopen("\(.*\)", RTLD_NOW | RTLD_NOLOAD/dlmopen(LM_ID_BASE, "\1", RTLD_NOW | RTLD_NOLOAD/' n.c
grep -q dlmopen n.c
prog main n.c -ldl
run='$serve ./main a b'
