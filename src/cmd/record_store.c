/* SPDX-License-Identifier: MIT */
/* record_store.c - loadcast record without -o: the image goes to the user's store */
#include "cmd/record.h"

#include <string.h>

#include "launch/line_key.h"
#include "store/entry.h"
#include "store/list.h"
#include "util/human.h"
#include "util/path.h"

int lc_record_store_choose(struct lc_record_store *store, char *const *argv, struct lc_error *err)
{
    struct lc_store_dir dir;
    struct lc_error why;
    int rc = lc_store_dir_open(&dir, true, &why);

    if (rc < 0)
        return lc_error_set(err, "%s; give -o IMAGE", why.text);
    rc = lc_line_key(argv, &store->key, &why);
    if (rc < 0)
        lc_error_set(err, "%s; give -o IMAGE", why.text);
    else
        rc = lc_store_entry_path(&dir, store->key.text, store->image, err);
    lc_store_dir_close(&dir);
    return rc;
}

void lc_record_store_recognize(struct lc_record_store *store, const char *image, char *const *argv)
{
    struct lc_store_dir dir = LC_STORE_DIR_NONE;

    if (lc_store_dir_name(dir.path, NULL) < 0 || !lc_path_is_under(image, dir.path))
        return;
    if (lc_line_key(argv, &store->key, NULL) == 0 &&
        lc_store_entry_path(&dir, store->key.text, store->image, NULL) == 0 &&
        strcmp(store->image, image) == 0)
        return;
    lc_store_key_free(&store->key);
}

static void trimmed_print(size_t removed)
{
    if (removed > 0)
        lc_record_say("removed %zu image%s from the store, which holds at most %s", removed,
                      removed == 1 ? "" : "s", lc_human_bytes(lc_store_cap_bytes()).s);
}

void lc_record_store_keep(const struct lc_record_store *store, bool has_nothing)
{
    struct lc_store_dir dir;

    if (!store->key.text[0] || lc_store_dir_open(&dir, false, NULL) < 0)
        return;
    /* An image of an earlier recording stays where this one saw nothing. */
    if (!has_nothing || !lc_store_entry_has_image(&dir, store->key.text))
        lc_store_entry_describe(&dir, &store->key, has_nothing);
    if (!has_nothing)
        trimmed_print(lc_store_trim(&dir, lc_store_cap_bytes(), store->key.text));
    lc_store_dir_close(&dir);
}
