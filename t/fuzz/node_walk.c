/* SPDX-License-Identifier: MIT */
/* node_walk.c - node-walk NODE: attach to a node directory with the client's own code, and ask it
 * everything it can be asked. Whatever the index says, nothing may be read outside of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bindings_sum.h"
#include "node/attach.h"
#include "node/bytecode.h"
#include "node/mounts.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif

static volatile size_t sink; /* keeps the compiler from dropping reads */

static void *take(size_t size)
{
#if __has_feature(address_sanitizer) || defined(__SANITIZE_ADDRESS__)
    return malloc(size);
#else
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    char *at = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(at + room, page, PROT_NONE);
    return at + (room - size) / 16 * 16;
#endif
}

void *guarded_map(size_t size, int protection, int flags, int fd)
{
    char *at = take(size);

    (void)protection;
    (void)flags;
    memset(at, 0, size);
    if (fd >= 0 && pread(fd, at, size, 0) != (ssize_t)size)
        abort();
    return at;
}

void guarded_unmap(void *at, size_t size)
{
    (void)size;
#if __has_feature(address_sanitizer) || defined(__SANITIZE_ADDRESS__)
    free(at);
#else
    (void)at;
#endif
}

static void ask_look(const struct lc_look *look, const char *path, size_t len)
{
    struct lc_walk walk;
    struct lc_found found = lc_look_walk(look, path, len, 0, &walk);
    const struct lc_inode *inode =
        found.answer == LC_ANSWER_FOUND ? lc_look_inode(look, found.entry) : NULL;
    uint32_t count = 0;
    const struct lc_dirent *d = inode ? lc_look_dirents(look, inode, &count) : NULL;

    for (uint32_t i = 0; d && i < count; i++) {
        const char *name = lc_look_name(look, d[i].name);
        sink += strlen(name) + lc_look_is_listed(look, inode, name, strlen(name));
    }
    sink += lc_look_walk(look, path, len, LC_WALK_NOFOLLOW, &walk).entry;
}

static void ask_node(const struct lc_node *node, const char *path, size_t len)
{
    char staged[2 * LC_PATH_MAX];
    struct lc_file_status file;
    uint32_t entry = lc_look_find(&node->look, path, len);
    const struct lc_inode *inode = lc_look_inode(&node->look, entry);

    if (inode && lc_node_staged_path(node, path, len, staged, sizeof(staged)) &&
        lc_node_is_staged(node, staged, inode, &file))
        sink += file.flags + (size_t)lc_node_original(node, staged);
    sink += lc_node_entry_above(node, path, len) + lc_node_is_still_absent(node, path, len) +
            lc_node_is_written(node, entry) +
            lc_mounts_is_managed(&node->look, node->state->held, path);
    lc_node_count_passed(node, LC_COUNT_PASS_UNKNOWN, path);
}

/* A path, and some that differ from it. */
static void ask(const struct lc_node *node, const char *path)
{
    static const char *const tails[] = {"", "/", "/x", "/../x", "/./", "x"};
    char text[2 * LC_PATH_MAX];

    for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
        size_t len = (size_t)snprintf(text, sizeof(text), "%s%s", path, tails[i]);
        if (len >= LC_PATH_MAX || text[0] != '/')
            continue;
        ask_look(&node->look, text, len);
        if (i == 0)
            ask_node(node, text, len);
    }
}

static void ask_searches(const struct lc_look *look)
{
    for (uint32_t i = 0; i < look->searches; i++) {
        const struct lc_search *s = &look->search[i];
        uint32_t found = lc_look_search(look, s->key, s->chain, lc_look_name(look, s->loader),
                                        lc_look_name(look, s->name));
        if (found != LC_NONE)
            sink += strlen(lc_look_name(look, look->search[found].result));
    }
}

static void ask_bindings(const struct lc_look *look)
{
    const struct lc_section *s = lc_look_section(look, LC_SECTION_BINDINGS);
    struct lc_bindings b;

    if (!s || !lc_bindings_open(&b, look->base + s->offset, s->length))
        return;
    for (uint32_t i = 0; i < b.head->objects; i++) {
        const struct lc_bind_object *o = &b.object[i];
        sink += lc_bindings_by_content(&b, o->content, o->dynamic, o->build) +
                lc_bindings_by_build(&b, o->dynamic, o->build) + lc_bindings_first_group(&b, i) +
                strlen(lc_bindings_name(&b, i));
    }
    sink += bindings_sum(&b);
}

static void ask_code(const struct lc_node *node)
{
    struct lc_code_map map = {0};

    lc_code_open(&map, node);
    for (uint32_t i = 0; i < node->look.inodes; i++) {
        uint64_t size = node->look.inode[i].size;
        const char *code = lc_code_find(&map, i, size);
        if (code && size > 0)
            sink += (size_t)(code[0] + code[size - 1]);
    }
    lc_node_unmap(map.head, map.head ? map.head->length : 0);
}

static void ask_staged(const struct lc_node *node)
{
    for (uint32_t i = 0; i < node->state->slots; i++)
        sink += lc_node_entry_by_inode(node, node->state->staged_dev, node->staged[i].ino);
    for (uint32_t i = 0; i < node->look.entries; i += 3)
        lc_node_set_written(node, i);
}

int main(int argc, char **argv)
{
    static struct lc_node node;

    if (argc != 2)
        return 2;
    if (!lc_node_attach(&node, argv[1]))
        return puts("refused"), 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < node.look.entries; i++)
            ask(&node, lc_look_name(&node.look, node.look.entry[i].path));
        ask_staged(&node);
    }
    ask_searches(&node.look);
    ask_bindings(&node.look);
    ask_code(&node);
    lc_node_unmap(node.look.base, node.look.size);
    lc_node_unmap(node.state, node.state->length);
    lc_node_unmap(node.live, node.live->length);
    return puts("attached"), 0;
}
