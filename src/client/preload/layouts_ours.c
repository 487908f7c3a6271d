/* SPDX-License-Identifier: MIT */
/* layouts_ours.c - our copies of the C library's layouts, for layouts_test.c */
#include "client/preload/layouts.h"

#include "client/preload/fts.h"
#include "client/preload/ftw.h"
#include "client/preload/glob.h"
#include "client/preload/shell.h"

#define SIZE(type, field) sizeof(((type *)NULL)->field)

#define TYPE(ours, theirs) {#ours, 0, sizeof(ours)},
#define FIELD(ours, field, theirs, their_field) \
    {#ours "." #field, offsetof(ours, field), SIZE(ours, field)},
#define VALUE(ours, theirs) {#ours, ours, 0},

const struct lc_layout *lc_layouts_ours(size_t *count)
{
    static const struct lc_layout all[] = {LC_LAYOUTS(TYPE, FIELD, VALUE)};

    *count = sizeof(all) / sizeof(*all);
    return all;
}
