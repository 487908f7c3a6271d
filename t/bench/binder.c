/* SPDX-License-Identifier: MIT */
/* binder.c - load generated libraries and nothing else; prints the CPU time (user + system) of the
 * process from its start, and its resident memory, as "SECONDS KILOBYTES"
 *
 *   binder import DIR COUNT   one dlopen per module
 *   binder begin DIR          one dlopen that brings them all
 *   binder linked             linked to all of them
 *   binder floor DIR          what no loader can do without: open, fstat, mmap, close, and one
 * write to each writable page of every library in DIR */
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void open_library(const char *path)
{
    if (dlopen(path, RTLD_LAZY))
        return;
    fprintf(stderr, "binder: %s\n", dlerror());
    exit(1);
}

static void import(const char *dir, int count)
{
    char path[4096];

    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/libmodule%d.so", dir, i);
        open_library(path);
    }
}

/* One library's segments, as ld.so maps them. */
static void map_segments(int fd, const Elf64_Ehdr *h, const Elf64_Phdr *p)
{
    size_t page = 4096, end = 0;

    for (int i = 0; i < h->e_phnum; i++)
        if (p[i].p_type == PT_LOAD)
            end = p[i].p_vaddr + p[i].p_memsz;
    char *base = mmap(NULL, end, PROT_READ, MAP_PRIVATE, fd, 0);
    for (int i = 0; i < h->e_phnum; i++) {
        if (p[i].p_type != PT_LOAD || base == MAP_FAILED)
            continue;
        size_t skip = p[i].p_vaddr % page, len = p[i].p_filesz + skip;
        int write = (p[i].p_flags & PF_W) ? PROT_WRITE : 0;
        char *at = mmap(base + p[i].p_vaddr - skip, len, PROT_READ | write, MAP_PRIVATE | MAP_FIXED,
                        fd, (off_t)(p[i].p_offset - skip));
        for (size_t k = 0; write && at != MAP_FAILED && k < len; k += page)
            ((volatile char *)at)[k] = at[k];
    }
}

static void touch(const char *path)
{
    union {
        Elf64_Ehdr h;
        char room[4096];
    } u;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || read(fd, &u, sizeof(u)) < (ssize_t)sizeof(u.h) || fstat(fd, &st) < 0)
        exit(1);
    map_segments(fd, &u.h, (const Elf64_Phdr *)(u.room + u.h.e_phoff));
    close(fd);
}

static void floor_of(const char *dir)
{
    char path[4096];
    DIR *d = opendir(dir);
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (strncmp(e->d_name, "lib", 3) == 0) {
            snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
            touch(path);
        }
}

int main(int argc, char **argv)
{
    struct rusage use;
    const char *mode = argc > 1 ? argv[1] : "";
    char path[4096];

    if (strcmp(mode, "import") == 0 && argc == 4) {
        import(argv[2], atoi(argv[3]));
    } else if (strcmp(mode, "begin") == 0 && argc == 3) {
        snprintf(path, sizeof(path), "%s/libmodulebegin.so", argv[2]);
        open_library(path);
    } else if (strcmp(mode, "floor") == 0 && argc == 3) {
        floor_of(argv[2]);
    } else if (strcmp(mode, "linked") != 0) {
        fprintf(stderr, "usage: binder import DIR COUNT | begin DIR | linked | floor DIR\n");
        return 2;
    }
    getrusage(RUSAGE_SELF, &use);
    printf("%.6f %ld\n",
           (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
               (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6,
           use.ru_maxrss);
    fflush(stdout);
    _exit(0); /* taking the libraries down is not loading */
}
