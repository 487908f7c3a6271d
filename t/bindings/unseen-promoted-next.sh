# A library that the recording did not see becomes global by the dlopen that a library finds behind itself.
. "$traps/unseen-promoted-dlsym.sh"
cat >open.c <<'E2'
#define _GNU_SOURCE
#include <dlfcn.h>
void *theirs(const char *file, int flags)
{
    return ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(file, flags);
}
E2
lib libopen.so open.c -ldl
prog main n.c -lopen -ldl
