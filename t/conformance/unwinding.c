/* SPDX-License-Identifier: MIT */
/* unwinding.c - a thread that ends, or throws, inside a function that the C library calls back:
 * what its callers have to clean up is cleaned up */
#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>

#include "case.h"

static void tell(const char *const *what)
{
    printf("  unwound: %s\n", *what);
}

static int end_in_visit(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)path, (void)st, (void)kind;
    if (where->level == 2)
        pthread_exit("visited");
    return 0;
}

static int end_in_filter(const struct dirent *e)
{
    (void)e;
    pthread_exit("filtered");
}

static int end_in_order(const FTSENT **a, const FTSENT **b)
{
    (void)a, (void)b;
    pthread_exit("compared");
}

static int end_in_error(const char *path, int error)
{
    (void)path, (void)error;
    pthread_exit("failed");
}

static void *walk(void *arg)
{
    __attribute__((cleanup(tell), unused)) const char *what = "nftw's caller";

    nftw("data", end_in_visit, 8, FTW_PHYS);
    return arg;
}

static void *scan(void *arg)
{
    __attribute__((cleanup(tell), unused)) const char *what = "scandir's caller";
    struct dirent **list;

    scandir("data", &list, end_in_filter, alphasort);
    return arg;
}

static void *read_tree(void *arg)
{
    __attribute__((cleanup(tell), unused)) const char *what = "fts's caller";
    char *roots[] = {"data/sub", NULL};
    FTS *fts = fts_open(roots, FTS_LOGICAL, end_in_order);

    while (fts_read(fts))
        ;
    return arg;
}

static void *look(void *arg)
{
    __attribute__((cleanup(tell), unused)) const char *what = "glob's caller";
    glob_t g = {0};

    glob("data/closed/*", GLOB_ERR, end_in_error, &g);
    return arg;
}

static void in_thread(void *(*call)(void *))
{
    pthread_t t;
    void *result = NULL;

    pthread_create(&t, NULL, call, "ended by itself");
    pthread_join(t, &result);
    printf("%s\n", (char *)result);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    in_thread(walk);
    in_thread(scan);
    in_thread(read_tree);
    in_thread(look);
}
