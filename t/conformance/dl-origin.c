/* SPDX-License-Identifier: MIT */
/* dl-origin.c - two libraries of one name behind two run paths, and nesting behind $ORIGIN */
#include <sys/wait.h>

#include "case.h"

static void show(const char *path, const char *function)
{
    void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *(*says)(void) = h ? (const char *(*)(void))dlsym(h, function) : NULL;
    char origin[PATH_MAX] = "";

    printf("%s: %s", path, h ? "open" : dlerror());
    if (h && dlinfo(h, RTLD_DI_ORIGIN, origin) == 0)
        printf(", origin %s", origin);
    printf(", says %s\n", says ? says() : "-");
}

int main(int argc, char **argv)
{
    (void)argc;
    if (fork() == 0) {
        show("lib/libvia_one.so", "via_one");
        show("lib/libvia_two.so", "via_two");
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    show(joined(argv[1], "/lib/libvia_two.so"), "via_two");
    show(joined(argv[1], "/lib/libvia_one.so"), "via_one");
    show("lib/nest/libvia_nest.so", "via_nest");
    show("lib/libtls.so", "none");
}
