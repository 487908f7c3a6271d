/* SPDX-License-Identifier: MIT */
/* status.c - loadcast status: what is staged on this node, and what did it answer? */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/counts.h"
#include "node/glibc_versions.h"
#include "stage/nodedir.h"
#include "stage/owned.h"
#include "stage/users.h"
#include "util/cli.h"
#include "util/human.h"

static struct {
    const char *dir;
    bool json;
} opt;

static const struct lc_opt options[] = {
    {0, "dir", LC_OPT_STRING, &opt.dir, "DIR", "look in DIR and nowhere else"},
    {0, "json", LC_OPT_FLAG, &opt.json, NULL, "the same as JSON, with every counter and path"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast status",
    .usage = "[options]",
    .summary = "Show your images in this node's memory, and what they answered.",
    .notes = "Exit status: 0 shown (also when there are none), 1 could not be shown, 2 usage.\n",
    .opts = options,
};

/* What is shown so far. */
struct shown {
    json_t *all; /* NULL: for people */
    unsigned count;
};

static json_t *read_about(const struct lc_nodedir *node)
{
    json_t *about = lc_json_read(openat(node->fd, "about", O_RDONLY | O_NOFOLLOW | O_CLOEXEC));

    return about ? about : json_object();
}

static const char *mode_of(const struct lc_nodedir *node)
{
    uint32_t flags = node->state->flags;

    if (flags & LC_STATE_NO_EXEC)
        return flags & LC_STATE_ONLY_LIBS ? "nothing (noexec)" : "data only (noexec)";
    return flags & LC_STATE_ONLY_LIBS ? "libs" : "all";
}

static void print_users(const struct lc_users *users)
{
    if (users->processes > 0)
        printf("in use     by %s process%s, such as %ld\n", lc_human_count(users->processes).s,
               users->processes == 1 ? "" : "es", (long)users->one);
    else
        printf("in use     by nobody, last %s ago\n", lc_human_seconds(users->idle_s).s);
}

static void print_untested(const struct lc_state *state)
{
    const char *between = "";

    if (!state->untested)
        return;
    printf("untested   with glibc 2.%u, and therefore off: ", state->glibc_minor);
    for (int i = 0; i < LC_GLIBC_PART_COUNT; i++)
        if (state->untested >> i & 1) {
            printf("%s%s", between, lc_glibc_part_text(i));
            between = ", ";
        }
    printf("\n");
}

static json_t *untested_json(const struct lc_state *state)
{
    json_t *all = json_array();

    for (int i = 0; i < LC_GLIBC_PART_COUNT; i++)
        if (state->untested >> i & 1)
            json_array_append_new(all, json_string(lc_glibc_part_text(i)));
    return all;
}

static void print_node(const struct lc_nodedir *node, const struct lc_users *users,
                       unsigned long long bytes)
{
    json_t *about = read_about(node);
    const char *image = json_string_value(json_object_get(about, "image"));
    const char *when = json_string_value(json_object_get(about, "time"));
    struct lc_counts counts = lc_live_read(node->live);

    printf("node       %s\n", node->path);
    printf("image      %s, staged %s\n", image ? image : "?", when ? when : "?");
    printf("takes      %s, serves %s%s\n", lc_human_bytes(bytes).s, mode_of(node),
           node->live->off ? "; switched itself off: a directory in it was moved" : "");
    print_users(users);
    if (node->live->uncovered)
        printf(
            "unseen     a program ran without our preload: what you may write to is asked again\n");
    print_untested(node->state);
    lc_counts_print_unfit(node->live, stdout);
    lc_counts_print(&counts, stdout);
    lc_counts_print_bindings(node->live, NULL, stdout);
    lc_counts_print_processes(node->live, stdout);
    lc_counts_print_passed(node->live, NULL, image, stdout);
    json_decref(about);
}

static json_t *node_json(const struct lc_nodedir *node, const struct lc_users *users,
                         unsigned long long bytes)
{
    json_t *one = read_about(node);
    struct lc_counts counts = lc_live_read(node->live);

    json_object_del(one, "objects");
    json_object_set_new(one, "path", lc_json_text(node->path));
    json_object_set_new(one, "bytes", json_integer((json_int_t)bytes));
    json_object_set_new(one, "serves", json_string(mode_of(node)));
    json_object_set_new(one, "off", json_boolean(node->live->off));
    json_object_set_new(one, "uncovered_writer", json_boolean(node->live->uncovered));
    json_object_set_new(one, "processes", json_integer((json_int_t)users->processes));
    json_object_set_new(one, "idle_s", json_real(users->idle_s));
    json_object_set_new(one, "untested_with_glibc", untested_json(node->state));
    json_object_set_new(one, "counts", lc_counts_json(&counts));
    json_object_set_new(one, "without_auditor", lc_counts_unfit_json(node->live));
    json_object_set_new(one, "bindings", lc_counts_bindings_json(node->live));
    json_object_set_new(one, "passed_paths", lc_counts_passed_json(node->live));
    return one;
}

static void show_broken(struct shown *shown, const char *path, const struct lc_error *why)
{
    if (shown->all)
        json_array_append_new(shown->all, json_pack("{s:o, s:o}", "path", lc_json_text(path),
                                                    "error", lc_json_text(why->text)));
    else
        printf("unusable   %s\n", why->text);
}

static void show_node(void *arg, const char *path, const struct lc_nodedir *node,
                      const struct lc_error *why)
{
    struct shown *shown = arg;

    if (!shown->all && shown->count++ > 0)
        printf("\n");
    if (!node) {
        show_broken(shown, path, why);
        return;
    }
    struct lc_users users = lc_users_count(node->fd, path);
    unsigned long long bytes = lc_owned_bytes(node->user, node->name);
    if (shown->all)
        json_array_append_new(shown->all, node_json(node, &users, bytes));
    else
        print_node(node, &users, bytes);
}

static void show_user(void *arg, int user, const char *user_path)
{
    lc_nodedir_each(user, user_path, show_node, arg);
}

static void show_refused(void *arg, const struct lc_error *why)
{
    (void)arg;
    fprintf(stderr, "loadcast status: %s; it is never used\n", why->text);
}

int lc_cmd_status(int argc, char **argv)
{
    struct shown shown = {0};
    struct lc_error err;
    int rc = lc_cli_parse_options(&cli, argc, argv, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    shown.all = opt.json ? json_array() : NULL;
    lc_nodedir_each_user(opt.dir, show_user, show_refused, &shown);
    if (shown.all)
        rc = lc_json_write(shown.all, "-", &err);
    else if (shown.count == 0)
        printf("nothing is staged on this node\n");
    json_decref(shown.all);
    return rc < 0 ? lc_cli_fail(&cli, LC_EXIT_FAILED, &err) : LC_EXIT_OK;
}
