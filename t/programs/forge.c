/* SPDX-License-Identifier: MIT */
/* forge.c - an image that says other bytes than the file has, with the same stat: forge IMAGE PATH
 * TEXT As if the file had changed on a file system whose times did not show it. */
#include <stdio.h>
#include <string.h>

#include "image/image.h"
#include "image/write.h"

int main(int argc, char **argv)
{
    struct lc_tree tree = {0};
    struct lc_error err = {""};
    struct lc_written did;
    struct lc_image *image = argc == 4 ? lc_image_open(argv[1], &err) : NULL;
    struct lc_write how = {.file = argc == 4 ? argv[1] : ""};
    struct lc_tree_entry *node;

    if (!image || lc_tree_load(&tree, image, &err) < 0 || !(node = lc_tree_find(&tree, argv[2])) ||
        strlen(argv[3]) != node->stat.size ||
        lc_tree_entry_set_bytes(node, argv[3], strlen(argv[3])) < 0) {
        fprintf(stderr, "forge: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < tree.entries.count; i++)
        ((struct lc_tree_entry *)tree.entries.entry[i].value)->stat.flags &=
            ~(uint32_t)LC_INODE_FRESH;
    int rc = lc_image_write(&tree, &how, &did, &err);
    lc_tree_free(&tree);
    lc_image_close(image);
    return rc < 0;
}
