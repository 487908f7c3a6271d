/* SPDX-License-Identifier: MIT */
/* lookup.c - what a look-up costs: lookup FILE ENTRIES
 * Writes an image with so many entries shaped like a Python installation, then asks for all of its
 * paths in random order, again and again ("all"); for 10,000 of them, as a large application does
 * ("some"); and for as many names that a complete directory lacks ("missing"). Prints "name median
 * best", in nanoseconds of CPU time, and the index's size. The look-up half is the freestanding
 * one, as in the user's process. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "image/image.h"
#include "image/write.h"

enum { PER_DIRECTORY = 40, ROUNDS = 25, WORKING_SET = 10000 };

static struct lc_tree_entry *add(struct lc_tree *tree, const char *path, unsigned mode,
                                 uint64_t ino)
{
    struct stat st = {.st_dev = 1, .st_ino = ino, .st_mode = mode, .st_nlink = 1, .st_mtime = 1};
    struct lc_tree_entry *node = lc_tree_entry_make(tree, path);

    if (!node)
        exit(1);
    lc_tree_entry_set_stat(node, &st);
    return node;
}

/* A directory with files, links and absent names; complete. */
static void add_directory(struct lc_tree *tree, unsigned number, size_t files)
{
    char dir[200], path[400];
    struct lc_listed_name *list = calloc(files, sizeof(*list));

    snprintf(dir, sizeof(dir), "/sw/stack/python-3.11/lib/python3.11/site-packages/package%05u",
             number);
    struct lc_tree_entry *node = add(tree, dir, S_IFDIR | 0755, 1000000 + number);
    for (size_t i = 0; i < files; i++) {
        char name[64];
        snprintf(name, sizeof(name), "module_%zu_of_%u.%s", i, number,
                 i % 8 == 7 ? "cpython-311-x86_64-linux-gnu.so" : "py");
        snprintf(path, sizeof(path), "%s/%s", dir, name);
        if (i % 5 == 4)
            lc_tree_entry_set_absent(lc_tree_entry_make(tree, path), ENOENT);
        else
            add(tree, path, S_IFREG | 0644, (uint64_t)number * 1000 + i)->source = LC_SOURCE_NONE;
        list[i] = (struct lc_listed_name){strdup(name), i, DT_REG};
    }
    lc_tree_entry_set_list(node, list, files, true);
}

static void build(const char *file, size_t entries)
{
    static const char *const above[] = {"/",
                                        "/sw",
                                        "/sw/stack",
                                        "/sw/stack/python-3.11",
                                        "/sw/stack/python-3.11/lib",
                                        "/sw/stack/python-3.11/lib/python3.11",
                                        "/sw/stack/python-3.11/lib/python3.11/site-packages"};
    struct lc_tree tree = {0};
    struct lc_write how = {.file = file};
    struct lc_written did;
    struct lc_error err = {""};

    for (size_t i = 0; i < sizeof(above) / sizeof(*above); i++)
        add(&tree, above[i], S_IFDIR | 0755, 10 + i);
    for (unsigned i = 0; tree.entries.count + PER_DIRECTORY < entries; i++)
        add_directory(&tree, i, PER_DIRECTORY - 1);
    if (lc_image_write(&tree, &how, &did, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    lc_tree_free(&tree);
}

struct question {
    char *path;
    size_t len;
};

/* All paths in random order, with an ending if given; side by side in memory, as the caller of a
 * look-up has just made its path and holds it in its cache. */
static struct question *questions(const struct lc_look *look, const char *ending)
{
    struct question *q = calloc(look->entries, sizeof(*q));
    unsigned seed = 1;

    for (uint32_t i = 0; i < look->entries; i++)
        q[i].path = (char *)lc_look_name(look, look->entry[i].path);
    for (uint32_t i = look->entries; i > 1; i--) {
        uint32_t k = (uint32_t)rand_r(&seed) % i;
        struct question swap = q[i - 1];
        q[i - 1] = q[k];
        q[k] = swap;
    }
    char *text = malloc((size_t)look->entries * 256);
    for (uint32_t i = 0; text && i < look->entries; i++) {
        q[i].len = (size_t)sprintf(text, "%s%s", q[i].path, ending);
        q[i].path = text;
        text += q[i].len + 1;
    }
    return q;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* CPU time: others on the machine may stop us, but should not count. */
static double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Median over rounds of the mean time per question. */
static void measure(const char *name, const struct lc_look *look, const char *ending,
                    uint32_t count)
{
    struct question *q = questions(look, ending);
    struct lc_walk walk;
    double ns[ROUNDS];
    unsigned answers[3] = {0};

    for (int round = -1; round < ROUNDS; round++) {
        double start = cpu_ns();
        for (uint32_t i = 0; i < count; i++)
            answers[lc_look_walk(look, q[i].path, q[i].len, 0, &walk).answer]++;
        if (round >= 0)
            ns[round] = (cpu_ns() - start) / count;
    }
    qsort(ns, ROUNDS, sizeof(*ns), by_value);
    printf("%s %.1f %.1f\n", name, ns[ROUNDS / 2], ns[0]);
    fprintf(stderr, "%s: %u unknown, %u found, %u absent\n", name, answers[0], answers[1],
            answers[2]);
    free(q[0].path);
    free(q);
}

int main(int argc, char **argv)
{
    struct lc_error err;

    if (argc != 3)
        return 2;
    build(argv[1], strtoul(argv[2], NULL, 10));
    struct lc_image *image = lc_image_open(argv[1], &err);
    if (!image)
        return 1;
    struct lc_image_totals t = lc_image_count(image);
    printf("entries %u\n", image->look.entries);
    printf("index %.1f\n", (double)t.index_bytes / image->look.entries);
    measure("all", &image->look, "", image->look.entries);
    measure("some", &image->look, "", WORKING_SET);
    measure("missing", &image->look, "x", WORKING_SET);
    lc_image_close(image);
    return 0;
}
