/* SPDX-License-Identifier: MIT */
/* differences.c - the ways in which a served program can tell, one per line: 'what: value'
 * The manual lists them (loadcast-exec, WHAT A PROGRAM CAN NOTICE); t0850 sees that there are no others
 * here. Run in the tree of t/conformance/fixture. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static void maps(void)
{
    char line[8192], path[4096];
    FILE *f = fopen("/proc/self/maps", "r");

    path[0] = '\0';
    if (!f || !fgets(line, sizeof(line), f) ||
        sscanf(line, "%*s %*s %*s %*s %*s %4095s", path) != 1)
        exit(9);
    fclose(f);
    printf("maps: %s\n", path);
}

static void events(void)
{
    int watcher = inotify_init1(IN_NONBLOCK);
    char buffer[4096];

    inotify_add_watch(watcher, "data/big", IN_OPEN | IN_ACCESS);
    close(open("data/big", O_RDONLY));
    printf("opening is told: %s\n", read(watcher, buffer, sizeof(buffer)) > 0 ? "yes" : "no");
}

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000
#endif

/* ld.so before glibc 2.35 dies of it under any auditor. */
static void namespaces(void)
{
#if __GLIBC_PREREQ(2, 35)
    void *h = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW);
    Lmid_t id = -1;

    if (h)
        dlinfo(h, RTLD_DI_LMID, &id);
    printf("namespace: %ld\n", (long)id);
#endif
}

int main(int argc, char **argv)
{
    struct stat a, b;
    struct statx x;
    struct statfs by_path, by_descriptor;

    (void)argc;
    maps();
    events();
    namespaces();
    printf("environment: %s\n", getenv("LOADCAST_NODE") ? "ours" : "plain");
    statx(AT_FDCWD, "data/file", 0, STATX_ALL | STATX_MNT_ID, &x);
    printf("mount number: %s\n", x.stx_mask & STATX_MNT_ID ? "yes" : "no");
    statfs("data", &by_path);
    fstatfs(open("data/file", O_RDONLY), &by_descriptor);
    printf("one file system: %d\n", by_path.f_type == by_descriptor.f_type);
    stat("data/file", &a);
    stat("data", &b);
    printf("one device: %d\n", a.st_dev == b.st_dev);
    printf("name: %s\n", argv[0]);
}
