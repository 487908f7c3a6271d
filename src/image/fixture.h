/* SPDX-License-Identifier: MIT */
/* fixture.h - a small tree for tests: always the same, with every kind of entry */
#ifndef LC_IMAGE_FIXTURE_H
#define LC_IMAGE_FIXTURE_H

#include "image/tree.h"

/* Fill an empty tree:
 *   / and /way -> app: on the way only
 *   /app                 complete: bin, lib, lib64, hard, twin, empty, loop, secret, odd
 *   /app/bin             not listed         /app/bin/tool        "#!/bin/sh\n"
 *   /app/hard            = /app/bin/tool    /app/twin            equal content, another inode
 *   /app/lib -> lib64    /app/lib64         complete: libx.so, sub
 *   /app/lib64/libx.so   9,000 bytes        /app/lib64/sub       complete, empty
 *   /app/empty           empty file         /app/loop -> loop    /app/secret: stat only
 *   /app/lib64/sub/m.pyc made               /app/none: absent    /app/lib64/up -> ../bin
 *   one mount, two search results; bindings of two objects in two groups */
void lc_fixture_tree(struct lc_tree *tree);

/* Write an image of that tree to 'file'; the calling test fails if this is not possible. */
void lc_fixture_write(const char *file);

#define LC_FIXTURE_PROVENANCE "{\"program\": \"fixture\", \"command\": [\"tool\"]}"

#endif
