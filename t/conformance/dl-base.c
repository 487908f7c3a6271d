/* SPDX-License-Identifier: MIT */
/* dl-base.c - dlmopen into the base namespace: the libraries, the caller's search path, errors word
 * by word */
#include <errno.h>

#include "case.h"

static void show(const char *name, int flags)
{
    errno = 77;
    void *h = dlmopen(LM_ID_BASE, name, flags);
    int after = h ? errno : 77;
    const char *(*says)(void) = h ? (const char *(*)(void))dlsym(h, "libname_says") : NULL;
    const char *why = dlerror();

    printf("%s %x: %s, errno %d", name ? name : "itself", flags, h ? "open" : why, after);
    printf(", %s\n", says ? says() : "says nothing");
    if (h)
        printf("closed: %d\n", dlclose(h));
}

int main(int argc, char **argv)
{
    (void)argc;
    show(joined(argv[1], "/lib/one/libname.so"), RTLD_NOW);
    show("lib/two/libname.so", RTLD_LAZY);
    show("libname.so", RTLD_NOW);
    show("lib/none.so", RTLD_NOW);
    show("no-such-library.so.1", RTLD_NOW);
    show("data/file", RTLD_NOW);
    show("lib/one/libname.so", 0);
    show("lib/one/libname.so", RTLD_NOW | RTLD_NOLOAD);
    show(NULL, RTLD_NOW);
    show("", RTLD_NOW);
    void *keep = dlopen("lib/one/libname.so", RTLD_NOW);
    void *base = dlmopen(LM_ID_BASE, "lib/one/libname.so", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    printf("the same: %d, for all: %d\n", keep == base,
           dlsym(RTLD_DEFAULT, "libname_says") != NULL);
    show("lib/libvia_one.so", RTLD_NOW | RTLD_DEEPBIND);
    printf("in no namespace: %d\n", dlmopen(77, "lib/one/libname.so", RTLD_NOW) != NULL);
    printf("%s\n", dlerror());
}
