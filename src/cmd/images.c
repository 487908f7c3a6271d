/* SPDX-License-Identifier: MIT */
/* images.c - loadcast images: the user's store of images */
#include "cmd/images.h"

#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/verbs.h"
#include "image/image.h"
#include "launch/line_key.h"
#include "record/provenance.h"
#include "store/suspect.h"
#include "store/transfer.h"
#include "util/cli.h"
#include "util/human.h"
#include "util/output.h"
#include "util/run.h"

static struct {
    bool json;
    double cap;
    const char *since;
} opt = {.cap = -1};

static const struct lc_opt options[] = {
    {0, "json", LC_OPT_FLAG, &opt.json, NULL, "list, show: as JSON"},
    {0, "cap", LC_OPT_BYTES, &opt.cap, "SIZE",
     "trim: how much may stay; else $LOADCAST_STORE_CAP, else 5 GB", 0, 1e18},
    {0, "since", LC_OPT_STRING, &opt.since, "TIME",
     "forget: what was learnt at or after TIME (UTC, as listed by show), or so long ago (2h)"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast images",
    .usage =
        "[options] [list | show KEY | remove KEY... | export KEY FILE | import FILE [-- LAUNCH "
        "LINE] | trim | forget [KEY...] | reset [KEY|FILE...]]",
    .summary = "Your store of images: what is in it, what it is for, and how it was used.",
    .notes = "KEY is a key as listed, its beginning, or the name of the program, if only one image "
             "fits.\n"
             "Exit status: 0 done (also when there is none), 1 could not be done, 2 usage, 3 an "
             "image\n"
             "cannot be used.\n",
    .opts = options,
};

static int usage_fail(const struct lc_error *err)
{
    return lc_cli_fail(&cli, LC_EXIT_USAGE, err);
}

static int failure_print(const struct lc_error *err)
{
    return lc_cli_fail(&cli, LC_EXIT_FAILED, err);
}

/* The store, open, and what is in it. */
struct opened {
    struct lc_store_dir dir;
    struct lc_store_list list;
};

static void opened_close(struct opened *store)
{
    lc_store_list_free(&store->list);
    lc_store_dir_close(&store->dir);
}

/* A store that is not there yet is empty. */
static int opened_open(struct opened *store, struct lc_error *err)
{
    *store = (struct opened){.dir = LC_STORE_DIR_NONE};
    if (lc_store_dir_open(&store->dir, false, err) < 0)
        return errno == ENOENT ? 0 : -1;
    if (lc_store_list_read(&store->list, &store->dir, err) == 0)
        return 0;
    opened_close(store);
    return -1;
}

static bool key_fits(const struct lc_store_item *item, const char *word)
{
    const char *name = json_string_value(json_object_get(item->about, "name"));

    return strncmp(item->key, word, strlen(word)) == 0 || (name && strcmp(name, word) == 0);
}

static const struct lc_store_item *item_find(const struct opened *store, const char *word,
                                             struct lc_error *err)
{
    const struct lc_store_item *found = NULL;

    for (size_t i = 0; i < store->list.count; i++) {
        const struct lc_store_item *item = &store->list.item[i];
        if (strcmp(item->key, word) == 0)
            return item;
        if (!key_fits(item, word))
            continue;
        if (found) {
            lc_error_set(err, "'%s' fits '%s', '%s' and perhaps others", word, found->key,
                         item->key);
            return NULL;
        }
        found = item;
    }
    if (!found)
        lc_error_set(err, "no image '%s' in the store; 'loadcast images' lists them", word);
    return found;
}

static int run_list(int argc, char **argv)
{
    struct opened store;
    struct lc_error err;

    if (argc > 0) {
        lc_error_set(&err, "list takes no arguments, got '%s'", argv[0]);
        return usage_fail(&err);
    }
    if (opened_open(&store, &err) < 0)
        return failure_print(&err);
    lc_images_print_list(&store.dir, &store.list, opt.json);
    if (store.list.count == 0)
        fprintf(stderr, "loadcast images: none yet; to make one: loadcast run --record -- ...\n");
    opened_close(&store);
    return LC_EXIT_OK;
}

static int run_show(int argc, char **argv)
{
    struct opened store;
    struct lc_error err;

    if (argc != 1) {
        lc_error_set(&err, "show takes one key; 'loadcast images' lists them");
        return usage_fail(&err);
    }
    if (opened_open(&store, &err) < 0)
        return failure_print(&err);
    const struct lc_store_item *item = item_find(&store, argv[0], &err);
    if (item)
        lc_images_print_one(&store.dir, item, opt.json);
    opened_close(&store);
    return item ? LC_EXIT_OK : failure_print(&err);
}

static int run_remove(int argc, char **argv)
{
    struct opened store;
    struct lc_error err;
    int rc = 0;

    if (argc == 0) {
        lc_error_set(&err, "remove takes keys; 'loadcast images' lists them");
        return usage_fail(&err);
    }
    if (opened_open(&store, &err) < 0)
        return failure_print(&err);
    for (int i = 0; i < argc; i++) {
        const struct lc_store_item *item = item_find(&store, argv[i], &err);
        if (item && lc_store_entry_remove(&store.dir, item->key) == 0)
            continue;
        if (item)
            lc_error_errno(&err, "cannot remove '%s'", item->key);
        rc = failure_print(&err);
    }
    opened_close(&store);
    return rc;
}

static int run_export(int argc, char **argv)
{
    struct opened store;
    struct lc_error err;

    if (argc != 2) {
        lc_error_set(&err, "export takes a key and a file");
        return usage_fail(&err);
    }
    if (opened_open(&store, &err) < 0)
        return failure_print(&err);
    const struct lc_store_item *item = item_find(&store, argv[0], &err);
    int rc = item ? lc_store_export(&store.dir, item->key, argv[1], &err) : -1;
    opened_close(&store);
    return rc < 0 ? failure_print(&err) : LC_EXIT_OK;
}

/* The command line by which an image was recorded. */
static int line_of_image(const char *file, struct lc_argv *line, struct lc_error *err)
{
    struct lc_image *image = lc_image_open(file, err);
    const json_t *word;
    size_t i;

    if (!image)
        return -1;
    json_t *about = lc_provenance_of(image);
    json_array_foreach(json_object_get(about, "command"), i, word)
        lc_argv_add(line, json_string_value(word) ? json_string_value(word) : "");
    json_decref(about);
    lc_image_close(image);
    if (line->count > 0 && !line->failed)
        return 0;
    return lc_error_set(err,
                        "'%s' does not say for which program it was recorded; give its line: "
                        "loadcast images import FILE -- LINE",
                        file);
}

static int import_image(const char *file, char *const *line, struct lc_error *err)
{
    struct lc_store_key key = {.parts = NULL};
    struct lc_store_dir dir = LC_STORE_DIR_NONE;
    int rc = lc_line_key(line, &key, err);

    if (rc == 0)
        rc = lc_store_dir_open(&dir, true, err);
    if (rc == 0)
        rc = lc_store_import(&dir, &key, file, err);
    if (rc == 0) {
        printf("%s\n", key.text);
        lc_store_trim(&dir, lc_store_cap_bytes(), key.text);
    }
    lc_store_key_free(&key);
    lc_store_dir_close(&dir);
    return rc;
}

static int run_import(int argc, char **argv)
{
    struct lc_argv line = {0};
    struct lc_error err;
    int rc = 0;

    if (argc == 0) {
        lc_error_set(&err, "import takes a file, and the launch line it is for behind --");
        return usage_fail(&err);
    }
    if (argc == 1)
        rc = line_of_image(argv[0], &line, &err);
    if (rc == 0)
        rc = import_image(argv[0], argc > 1 ? argv + 1 : line.item, &err);
    int code = rc == 0 ? LC_EXIT_OK : errno == EBADMSG ? LC_EXIT_IMAGE : LC_EXIT_FAILED;
    lc_argv_free(&line);
    return rc < 0 ? lc_cli_fail(&cli, code, &err) : LC_EXIT_OK;
}

/* The number by which a program's deaths are kept: of a key of the store, or of an image's file. */
static int suspect_id(const struct opened *store, const char *word, uint64_t *id,
                      struct lc_error *err)
{
    struct lc_error no_image;
    const struct lc_store_item *item = item_find(store, word, err);

    if (item)
        *id = lc_suspect_id_of_key(item->key);
    return item ? 0 : lc_image_id(word, id, &no_image);
}

static int run_reset(int argc, char **argv)
{
    struct opened store;
    struct lc_error err;
    uint64_t id;
    unsigned count = 0;
    int rc = LC_EXIT_OK;

    if (opened_open(&store, &err) < 0)
        return failure_print(&err);
    if (argc == 0)
        count = lc_suspect_forget_all();
    for (int i = 0; i < argc; i++)
        if (suspect_id(&store, argv[i], &id, &err) == 0)
            count += lc_suspect_forget(id);
        else
            rc = failure_print(&err);
    opened_close(&store);
    printf("%u program%s reset\n", count, count == 1 ? "" : "s");
    return rc;
}

static int run_trim(int argc, char **argv)
{
    struct lc_store_dir dir;
    struct lc_error err;
    uint64_t cap = opt.cap < 0 ? lc_store_cap_bytes() : (uint64_t)opt.cap;

    if (argc > 0) {
        lc_error_set(&err, "trim takes no arguments, got '%s'", argv[0]);
        return usage_fail(&err);
    }
    if (lc_store_dir_open(&dir, false, &err) < 0)
        return errno == ENOENT ? LC_EXIT_OK : failure_print(&err);
    size_t removed = lc_store_trim(&dir, cap, NULL);
    printf("%s image%s removed\n", lc_human_count(removed).s, removed == 1 ? "" : "s");
    lc_store_dir_close(&dir);
    return LC_EXIT_OK;
}

static int forget_all(const struct opened *store, uint64_t since_wall_ns)
{
    struct lc_error err;
    int rc = LC_EXIT_OK;

    for (size_t i = 0; i < store->list.count; i++)
        if (lc_images_forget(&store->dir, store->list.item[i].key, since_wall_ns, &err) < 0)
            rc = failure_print(&err);
    return rc;
}

static int run_forget(int argc, char **argv)
{
    struct opened store;
    struct lc_error err;
    uint64_t since_wall_ns;

    if (!opt.since) {
        lc_error_set(&err, "forget takes --since TIME");
        return usage_fail(&err);
    }
    if (lc_images_parse_time(opt.since, &since_wall_ns, &err) < 0)
        return usage_fail(&err);
    if (opened_open(&store, &err) < 0)
        return failure_print(&err);
    int rc = argc == 0 ? forget_all(&store, since_wall_ns) : LC_EXIT_OK;
    for (int i = 0; i < argc; i++) {
        const struct lc_store_item *item = item_find(&store, argv[i], &err);
        if (!item || lc_images_forget(&store.dir, item->key, since_wall_ns, &err) < 0)
            rc = failure_print(&err);
    }
    opened_close(&store);
    return rc;
}

static const struct lc_verb verbs[] = {
    {"list", run_list},     {"show", run_show},     {"remove", run_remove},
    {"export", run_export}, {"import", run_import}, {"trim", run_trim},
    {"forget", run_forget}, {"reset", run_reset},   {0},
};

int lc_cmd_images(int argc, char **argv)
{
    struct lc_error err;
    int first, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc < 0)
        return usage_fail(&err);
    lc_output_ignore_sigxfsz();
    if (first == argc)
        return run_list(0, NULL);
    const struct lc_verb *verb = lc_verb_find(verbs, argv[first], &err);
    return verb ? verb->run(argc - first - 1, argv + first + 1) : usage_fail(&err);
}
