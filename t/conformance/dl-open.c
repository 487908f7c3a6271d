/* SPDX-License-Identifier: MIT */
/* dl-open.c - dlopen by every kind of name, and its errors word by word */
#include "case.h"

static void show(const char *name, int flags)
{
    void *h = dlopen(name, flags);
    const char *(*says)(void) = h ? (const char *(*)(void))dlsym(h, "libname_says") : NULL;
    Dl_info info = {0};

    printf("%s %x: %s", name, flags, h ? "open" : dlerror());
    if (says && dladdr((void *)says, &info))
        printf(", says %s from %s", says(), info.dli_fname);
    puts("");
    if (h)
        dlclose(h);
}

int main(int argc, char **argv)
{
    (void)argc;
    show(joined(argv[1], "/lib/one/libname.so"), RTLD_NOW);
    show("lib/one/libname.so", RTLD_LAZY);
    show("./lib/two/libname.so", RTLD_NOW);
    show("lib/../lib/two//libname.so", RTLD_NOW);
    show("libname.so", RTLD_NOW);
    show("lib/none.so", RTLD_NOW);
    show("no-such-library.so.1", RTLD_NOW);
    show("data/file", RTLD_NOW);
    show("data/empty", RTLD_NOW);
    show("data", RTLD_NOW);
    show("data/unreadable", RTLD_NOW);
    show("data/dangling", RTLD_NOW);
    show("lib/one/libname.so", RTLD_NOW | RTLD_NOLOAD);
    void *keep = dlopen("lib/one/libname.so", RTLD_NOW);
    show("lib/one/libname.so", RTLD_NOW | RTLD_NOLOAD);
    show("libname.so", RTLD_NOW | RTLD_NOLOAD);
    show("libname.so", RTLD_NOW);
    dlclose(keep);
    show("lib/two/libname.so", RTLD_NOW | RTLD_GLOBAL);
    show("lib/libvia_one.so", RTLD_NOW | RTLD_DEEPBIND);
    show("lib/one/libname.so", 0);
}
