/* SPDX-License-Identifier: MIT */
/* binder.c - load generated libraries, then visit them; prints "LOAD TOTAL RSS PSS USS": CPU
 * seconds (user + system) of the process from its start to the end of loading and of the visit, and
 * its memory after it in kilobytes
 *
 *   binder import DIR COUNT   one dlopen per module
 *   binder begin DIR COUNT    one dlopen that brings them all
 *   binder linked DIR COUNT   linked to all of them
 *   binder floor DIR          what no loader can do without: open, fstat, mmap, close, and one
 *                             write to each writable page of every library in DIR
 *   binder nothing            and leaves */
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

static void *open_library(const char *dir, const char *name, int number)
{
    char path[4096], text[16] = "";
    void *handle;

    if (number >= 0)
        snprintf(text, sizeof(text), "%d", number);
    snprintf(path, sizeof(path), "%s/%s%s.so", dir, name, text);
    if ((handle = dlopen(path, RTLD_LAZY)))
        return handle;
    fprintf(stderr, "binder: %s\n", dlerror());
    exit(1);
}

/* Every module calls its functions, and those of others. */
static void visit(void *const *handle, int count)
{
    char name[64];

    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "libmodule%d_visit", i);
        unsigned (*entry)(void) = (unsigned (*)(void))dlsym(handle[i], name);
        if (!entry) {
            fprintf(stderr, "binder: %s\n", dlerror());
            exit(1);
        }
        entry();
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

static double cpu_s(long *rss_kb)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    *rss_kb = use.ru_maxrss;
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void read_memory(long *pss_kb, long *uss_kb)
{
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long n;

    *pss_kb = *uss_kb = 0;
    while (f && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "Pss: %ld", &n) == 1)
            *pss_kb = n;
        if (sscanf(line, "Private_Clean: %ld", &n) == 1 ||
            sscanf(line, "Private_Dirty: %ld", &n) == 1)
            *uss_kb += n;
    }
    if (f)
        fclose(f);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "", *dir = argc > 2 ? argv[2] : "";
    int count = argc > 3 ? atoi(argv[3]) : 0;
    void **handle = calloc((size_t)count + 1, sizeof(*handle));
    long rss, pss, uss;

    if (strcmp(mode, "floor") == 0)
        floor_of(dir);
    else if (argc < 4 || !handle)
        return strcmp(mode, "nothing") == 0 ? 0 : 2;
    else if (strcmp(mode, "begin") == 0)
        handle[0] = open_library(dir, "liball", -1);
    for (int i = 0; i < count; i++)
        handle[i] = mode[0] == 'i'   ? open_library(dir, "libmodule", i)
                    : mode[0] == 'b' ? handle[0]
                                     : RTLD_DEFAULT;
    double loaded_s = cpu_s(&rss);
    visit(handle, count);
    double total_s = cpu_s(&rss);
    read_memory(&pss, &uss);
    printf("%.6f %.6f %ld %ld %ld\n", loaded_s, total_s, rss, pss, uss);
    fflush(stdout);
    _exit(0); /* taking the libraries down is not loading */
}
