# A recorded library becomes global by dlmopen into the base namespace, which the recording did not see.
. "$traps/promotion-unseen.sh"
sed -i '1i#define _GNU_SOURCE
s/dlopen("\(.*\)", RTLD_NOW | RTLD_NOLOAD/dlmopen(LM_ID_BASE, "\1", RTLD_NOW | RTLD_NOLOAD/' m.c
grep -q dlmopen m.c
prog main m.c -ldl
