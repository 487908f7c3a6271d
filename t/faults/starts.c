/* SPDX-License-Identifier: MIT */
/* starts.c - a program that starts like a large one and checks what it is given: starts TREE
 *
 * It loads TREE/lib/lib0.so ... lib7.so, reads TREE/data/0 ... 19, asks for as many names that are
 * not there and lists TREE/data. Prints "right", or what is wrong; a library or file may be of
 * edition 1 or 2, as long as it is whole.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIBRARIES = 8, FILES = 20 };

static int wrong(const char *what, int i)
{
    printf("wrong: %s %d: %s\n", what, i, strerror(errno));
    return 1;
}

static int check_library(const char *tree, int i)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/lib/lib%d.so", tree, i);
    void *h = dlopen(path, RTLD_NOW);
    if (!h) {
        printf("wrong: %s\n", dlerror());
        return 1;
    }
    int (*number)(void) = (int (*)(void))dlsym(h, "number");
    return number && number() % 100 == i ? 0 : wrong("library", i);
}

static int check_file(const char *tree, int i)
{
    char path[4096], text[100] = "", one[100], two[100];
    struct stat st;

    snprintf(path, sizeof(path), "%s/data/%d", tree, i);
    snprintf(one, sizeof(one), "edition 1 of file %d\n", i);
    snprintf(two, sizeof(two), "edition 2 of file %d\n", i);
    FILE *f = fopen(path, "r");
    if (!f || stat(path, &st) < 0)
        return wrong("file", i);
    size_t n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    if ((size_t)st.st_size != n || (strcmp(text, one) != 0 && strcmp(text, two) != 0))
        return wrong("content", i);
    strcat(path, ".none");
    return access(path, F_OK) < 0 && errno == ENOENT ? 0 : wrong("absent", i);
}

static int check_listing(const char *tree)
{
    char path[4096];
    int n = 0;

    snprintf(path, sizeof(path), "%s/data", tree);
    DIR *d = opendir(path);
    if (!d)
        return wrong("directory", 0);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] >= '0' && e->d_name[0] <= '9';
    closedir(d);
    return n == FILES ? 0 : wrong("listing", n);
}

int main(int argc, char **argv)
{
    int bad = argc != 2;

    for (int i = 0; i < LIBRARIES && !bad; i++)
        bad |= check_library(argv[1], i);
    for (int i = 0; i < FILES && !bad; i++)
        bad |= check_file(argv[1], i);
    bad = bad || check_listing(argv[1]);
    if (!bad)
        puts("right");
    return bad;
}
