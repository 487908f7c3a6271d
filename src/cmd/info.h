/* SPDX-License-Identifier: MIT */
/* info.h - what 'loadcast info' shows, as text (info.c) and as JSON (info_json.c) */
#ifndef LC_CMD_INFO_H
#define LC_CMD_INFO_H

#include <jansson.h>
#include <stdbool.h>

#include "image/image.h"

struct lc_info {
    bool files, absent, dirs, search, bindings, json, verify;
    const char *diff;
};

/* The parts of the image that 'show' asks for; the caller owns the result. */
json_t *lc_info_json(const struct lc_image *image, const struct lc_info *show);

/* info_bindings.c: print the bindings. 0, or -1 if memory ran out. */
int lc_info_print_bindings(const struct lc_image *image);
json_t *lc_info_bindings_json(const struct lc_image *image);

/* The name of an errno in an image: "ENOENT", or its number. */
const char *lc_info_errno(uint32_t code, char *room, size_t size);

#endif
