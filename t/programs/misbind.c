/* SPDX-License-Identifier: MIT */
/* misbind.c - bindings that lie
 *
 *   misbind IMAGE FIELD      writes the image anew, checksums, seals and all; 'target' moves every
 *                            binding of every plan by one byte, the others change what objects are
 *   misbind INDEX each COMMAND...   turns one bit of the section in a node's memory, runs the
 *                            command and turns it back: in every field of the first and last
 *                            object, group, plan and member, and in some words of each plan. Says
 *                            how often on stderr; status 1 if the command ever failed */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image/bindings.h"
#include "image/image.h"
#include "image/write.h"

static void lie_about_object(struct lc_bind_object *o, const char *field)
{
    o->content[0] ^= strcmp(field, "content") == 0;
    o->dynamic ^= strcmp(field, "dynamic") == 0;
    o->build ^= strcmp(field, "build") == 0 && o->build;
    o->content[0] ^= strcmp(field, "build") == 0 && !o->build;
    o->rows += strcmp(field, "rows") == 0;
    o->extent += strcmp(field, "extent") == 0;
    if (strcmp(field, "relative") == 0)
        o->relative = o->relative ? o->relative - 1 : o->rows;
}

static void lie_about_targets(const struct lc_bindings *b)
{
    for (uint32_t i = 0; i < b->head->plans; i++) {
        struct lc_bind_parts w;
        if (!lc_bindings_plan_parts(b, &b->plan[i], &w))
            continue;
        for (uint32_t k = 0; k < b->plan[i].bindings; k++)
            if (w.binding[2 * k + 1] > 0)
                ((uint32_t *)(uintptr_t)w.binding)[2 * k + 1]--;
    }
}

/* What hangs on the fields is made anew: the identity, and the places in the slots. */
static void sign(const struct lc_bindings *b)
{
    uint32_t *slot = (uint32_t *)(uintptr_t)b->slot, mask = b->head->slots - 1;

    memset(slot, 0, b->head->slots * sizeof(*slot));
    for (uint32_t i = 0; i < b->head->objects; i++) {
        struct lc_bind_object *o = (struct lc_bind_object *)(uintptr_t)&b->object[i];
        uint64_t key[2] = {lc_bindings_content_key(o->content),
                           lc_bindings_build_key(o->dynamic, o->build)};
        o->identity = lc_bindings_identity(o);
        for (int k = 0; k < (o->build ? 2 : 1); k++) {
            uint32_t at = (uint32_t)key[k] & mask;
            while (slot[at])
                at = (at + 1) & mask;
            slot[at] = i + 1;
        }
    }
}

/* The section in a node's index; NULL: there is none. */
static uint32_t *map_section(const char *index, uint64_t *len)
{
    struct lc_look look;
    struct stat st;
    int fd = open(index, O_RDWR | O_CLOEXEC);
    char *map = fd < 0 || fstat(fd, &st) < 0
                    ? MAP_FAILED
                    : mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (map == MAP_FAILED || lc_look_open(&look, map, (size_t)st.st_size))
        return NULL;
    const struct lc_section *s = lc_look_section(&look, LC_SECTION_BINDINGS);
    *len = s ? s->length : 0;
    return s ? (void *)(map + s->offset) : NULL;
}

static int run(char **command)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        execv(command[0], command);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

static int runs, failures;

static void try_words(uint32_t *at, size_t words, char **command)
{
    for (size_t i = 0; i < words; i++) {
        uint32_t bit = 1u << (i * 7 % 31);
        at[i] ^= bit;
        failures += run(command) < 0;
        at[i] ^= bit;
        runs++;
    }
}

/* The fields of a table's first and last record. */
static void try_ends(const void *table, uint32_t count, size_t record, char **command)
{
    size_t words = record / sizeof(uint32_t);
    uint32_t *at = (uint32_t *)(uintptr_t)table;

    if (count > 0)
        try_words(at, words, command);
    if (count > 1)
        try_words(at + (count - 1) * words, words, command);
}

static int try_all(const char *index, char **command)
{
    uint64_t len;
    uint32_t *section = map_section(index, &len);
    struct lc_bindings b;

    if (!section || !lc_bindings_open(&b, section, len))
        return 1;
    try_ends(b.object, b.head->objects, sizeof(*b.object), command);
    try_ends(b.group, b.head->groups, sizeof(*b.group), command);
    try_ends(b.plan, b.head->plans, sizeof(*b.plan), command);
    try_ends(b.member, b.head->members, sizeof(*b.member), command);
    for (uint32_t i = 0; i < b.head->plans; i++)
        try_words((uint32_t *)(uintptr_t)b.word + b.plan[i].first, 4, command);
    fprintf(stderr, "%d\n", runs);
    return failures > 0;
}

int main(int argc, char **argv)
{
    if (argc > 3 && strcmp(argv[2], "each") == 0)
        return try_all(argv[1], argv + 3);
    struct lc_tree tree = {0};
    struct lc_error err = {""};
    struct lc_written did;
    struct lc_bindings b;
    struct lc_image *image = argc == 3 ? lc_image_open(argv[1], &err) : NULL;
    struct lc_write how = {.file = argc == 3 ? argv[1] : "", .provenance = "{}"};

    if (!image || lc_tree_load(&tree, image, &err) < 0 ||
        !lc_bindings_open(&b, tree.bindings.data, tree.bindings.len)) {
        fprintf(stderr, "misbind: %s\n", err.text);
        return 1;
    }
    for (uint32_t i = 0; i < b.head->objects; i++)
        lie_about_object((struct lc_bind_object *)(uintptr_t)&b.object[i], argv[2]);
    if (strcmp(argv[2], "target") == 0)
        lie_about_targets(&b);
    sign(&b);
    lc_bindings_seal(tree.bindings.data, tree.bindings.len);
    int rc = lc_image_write(&tree, &how, &did, &err);
    if (rc < 0)
        fprintf(stderr, "misbind: %s\n", err.text);
    lc_tree_free(&tree);
    lc_image_close(image);
    return rc < 0;
}
