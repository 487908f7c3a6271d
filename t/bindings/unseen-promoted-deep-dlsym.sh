# As before, but the plugin asks dlsym for the program's dlopen.
. "$traps/unseen-promoted-deep.sh"
cat >p.c <<'E2'
#define _GNU_SOURCE
#include <dlfcn.h>
void p(void)
{
    ((void *(*)(const char *, int))dlsym(RTLD_DEFAULT, "dlopen"))("./liba.so", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}
E2
lib libp.so p.c -ldl
