/* SPDX-License-Identifier: MIT */
/* replay-refuses.c - the replayer on a processor it was not tested on: prints why it refuses
 *
 * Compiled by t0706 for that processor, with the replayer's own sources and this in place of a
 * node. */
#include <stdio.h>

#include "node/bind_mode.h"
#include "client/bindings/replay.h"
#include "image/bindings.h"

static struct {
    struct lc_bind_head head;
    uint32_t slot[16];
    char names[8];
} section = {.head = {.version = LC_BIND_VERSION, .slots = 16, .names = 8}};

const struct lc_section *lc_look_section(const struct lc_look *look, uint32_t type)
{
    static const struct lc_section found = {.length = sizeof(section)};

    (void)look;
    return type == LC_SECTION_BINDINGS ? &found : NULL;
}

void lc_node_bindings_refused(const struct lc_node *node, const char *why, const char *name)
{
    (void)node;
    printf("%s%s\n", why, name);
}

int main(void)
{
    struct lc_node node = {.look = {.base = (const void *)&section}};
    struct lc_key key = {0};
    struct lc_variable mode[LC_MODE_VARIABLES];
    char first[LC_MODE_VARIABLES][2] = {{0}};

    lc_bind_mode_wants(mode, first);
    lc_replay_begin(lc_replay_of_process(), &node, &key, mode);
    return 0;
}
