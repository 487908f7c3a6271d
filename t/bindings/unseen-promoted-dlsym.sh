# A library that the recording did not see becomes global by the dlopen that dlsym found in the C library.
. "$traps/unseen-promoted.sh"
cat >open.c <<'E2'
#define _GNU_SOURCE
#include <dlfcn.h>
void *theirs(const char *file, int flags)
{
    static const char *const library[] = {"libc.so.6", "libdl.so.2"};
    void *(*open)(const char *, int) = 0;
    for (int i = 0; i < 2 && !open; i++)
        open = (void *(*)(const char *, int))dlsym(dlopen(library[i], RTLD_NOW), "dlopen");
    return open(file, flags);
}
E2
sed -i '1ivoid *theirs(const char *, int);
s/dlopen("\(.*\)", RTLD_NOW | RTLD_NOLOAD/theirs("\1", RTLD_NOW | RTLD_NOLOAD/' n.c
grep -q theirs n.c
prog main n.c open.c -ldl
run='$serve ./main a b'
want='refused'
