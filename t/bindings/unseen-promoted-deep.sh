# A library that the recording did not see becomes global by a plugin opened with RTLD_DEEPBIND: its dlopen is the C library's.
. "$traps/unseen-promoted.sh"
cat >p.c <<'E2'
#include <dlfcn.h>
void p(void) { dlopen("./liba.so", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL); }
E2
sed -i 's/dlopen(.*RTLD_NOLOAD.*/((void (*)(void))dlsym(dlopen(".\/libp.so", RTLD_NOW | RTLD_DEEPBIND), "p"))();/
1i#define _GNU_SOURCE' n.c
grep -q DEEPBIND n.c
lib libp.so p.c -ldl
prog main n.c -ldl
run='$serve ./main a b'
