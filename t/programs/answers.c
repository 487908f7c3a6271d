/* SPDX-License-Identifier: MIT */
/* answers.c - what an image says of paths, one per line on standard input: answers IMAGE
 * Prints "found", "absent" or "unknown" before each. */
#include <stdio.h>
#include <string.h>

#include "image/image.h"

int main(int argc, char **argv)
{
    static const char *const words[] = {"unknown", "found", "absent"};
    static struct lc_walk walk;
    struct lc_error err = {"usage: answers IMAGE"};
    struct lc_image *image = argc == 2 ? lc_image_open(argv[1], &err) : NULL;
    char line[8192];

    if (!image) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        struct lc_found f = lc_look_walk(&image->look, line, strlen(line), 0, &walk);
        printf("%s\t%s\n", words[f.answer], line);
    }
    lc_image_close(image);
    return 0;
}
