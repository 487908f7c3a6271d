/* SPDX-License-Identifier: MIT */
/* memory.c - how much of a node's memory an arm's files take; part of bench-rank */
#include "bench/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/drop_caches.h"

static uint64_t held; /* static because nftw() passes no argument to its callback */

static int blocks_add(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)path, (void)type, (void)ftw;
    held += (uint64_t)st->st_blocks * 512;
    return 0;
}

static uint64_t tree_blocks(const char *dir)
{
    held = 0;
    nftw(dir, blocks_add, 32, FTW_PHYS | FTW_MOUNT);
    return held;
}

/* Is 'word' an argument of the process? */
static bool process_has_word(const char *pid, const char *word)
{
    char path[300], text[8192];

    snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    for (ssize_t at = (ssize_t)strlen(text) + 1; at < n; at += (ssize_t)strlen(text + at) + 1)
        if (strcmp(text + at, word) == 0)
            return true;
    return false;
}

/* Private memory of a process. */
static uint64_t process_memory(const char *pid)
{
    char path[300], line[256];
    unsigned long long kb = 0, one;

    snprintf(path, sizeof(path), "/proc/%s/status", pid);
    FILE *in = fopen(path, "re");
    while (in && fgets(line, sizeof(line), in))
        if (sscanf(line, "RssAnon: %llu", &one) == 1)
            kb = one;
    if (in)
        fclose(in);
    return kb * 1024;
}

static uint64_t server_memory(const char *mount)
{
    DIR *proc = opendir("/proc");
    uint64_t sum = 0;

    for (struct dirent *e; proc && (e = readdir(proc));)
        if (strspn(e->d_name, "0123456789") == strlen(e->d_name) &&
            process_has_word(e->d_name, mount))
            sum += process_memory(e->d_name);
    if (proc)
        closedir(proc);
    return sum;
}

uint64_t lc_memory_count(char *const *words)
{
    uint64_t sum = 0;

    for (; *words; words++)
        if (strncmp(*words, "held:", 5) == 0)
            sum += tree_blocks(*words + 5);
        else if (strncmp(*words, "cached:", 7) == 0)
            sum += lc_cached_bytes(*words + 7);
        else if (strncmp(*words, "server:", 7) == 0)
            sum += server_memory(*words + 7);
    return sum;
}
