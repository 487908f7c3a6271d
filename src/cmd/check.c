/* SPDX-License-Identifier: MIT */
/* check.c - loadcast check: do the files still match the image? Run once per job */
#include "record/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "util/buf.h"
#include "util/cli.h"
#include "util/human.h"
#include "util/json.h"
#include "util/output.h"

enum { MOST_LINES = 20 };

static void print_events(const struct lc_checked *did, bool all)
{
    for (size_t i = 0; i < did->events; i++) {
        struct lc_buf text = {0};
        if (!all && i == MOST_LINES && did->events > MOST_LINES + 1) {
            printf("... and %s more (--all)\n", lc_human_count(did->events - i).s);
            return;
        }
        lc_buf_escape(&text, did->event[i].path, strlen(did->event[i].path));
        const char *why = did->event[i].why;
        printf("%-10s %s%s%s\n", did->event[i].what, lc_buf_text(&text), why ? ": " : "",
               why ? why : "");
        lc_buf_free(&text);
    }
}

static void print_report(const char *file, const struct lc_checked *did, const struct lc_check *how,
                         bool all)
{
    print_events(did, all);
    if (did->searches_dropped > 0)
        printf("search     %s results dropped: ld.so will search itself\n",
               lc_human_count(did->searches_dropped).s);
    if (did->not_compiled.text[0])
        printf("python     no bytecode compiled: %s\n", did->not_compiled.text);
    printf("%s: %s entries asked in %s, %s unchanged, %s not", file, lc_human_count(did->entries).s,
           lc_human_seconds(did->seconds).s, lc_human_count(did->same).s,
           lc_human_count(did->events).s);
    if (did->events == 0)
        printf("; the image is true\n");
    else if (how->dry_run)
        printf("; nothing written (--dry-run)\n");
    else if (did->is_overlay)
        printf("; written in %s as an overlay to be used instead:\n%s\n",
               lc_human_seconds(did->write_seconds).s, did->wrote);
    else
        printf("; updated in %s\n", lc_human_seconds(did->write_seconds).s);
}

static int write_json(const char *file, const struct lc_checked *did, struct lc_error *err)
{
    json_t *events = json_array();

    for (size_t i = 0; i < did->events; i++)
        json_array_append_new(events, json_pack("{s:s, s:o, s:s*}", "what", did->event[i].what,
                                                "path", lc_json_text(did->event[i].path), "why",
                                                did->event[i].why));
    json_t *all = json_pack(
        "{s:o, s:I, s:I, s:o, s:I, s:f, s:f, s:o, s:b, s:o*}", "image", lc_json_text(file),
        "entries", (json_int_t)did->entries, "same", (json_int_t)did->same, "events", events,
        "searches_dropped", (json_int_t)did->searches_dropped, "seconds", did->seconds,
        "write_seconds", did->write_seconds, "use", lc_json_text(did->wrote), "overlay",
        did->is_overlay, "not_compiled",
        did->not_compiled.text[0] ? lc_json_text(did->not_compiled.text) : NULL);
    int rc = lc_json_write(all, "-", err);
    json_decref(all);
    return rc;
}

static int check_run(const struct lc_cli *cli, const char *file, const struct lc_check *how,
                     bool json, bool all)
{
    struct lc_checked did;
    struct lc_error err;
    int code = LC_EXIT_OK;

    if (lc_check_image(file, how, &did, &err) < 0)
        code = lc_cli_fail(cli,
                           errno == EBADMSG || errno == ENOENT || did.entries == 0 ? LC_EXIT_IMAGE
                                                                                   : LC_EXIT_FAILED,
                           &err);
    else if (!json)
        print_report(file, &did, how, all);
    else if (write_json(file, &did, &err) < 0)
        code = lc_cli_fail(cli, LC_EXIT_FAILED, &err);
    lc_checked_free(&did);
    return code;
}

int lc_cmd_check(int argc, char **argv)
{
    struct lc_check how = {.jobs = 32};
    bool json = false, all = false;
    const struct lc_opt opts[] = {
        {0, "deep", LC_OPT_FLAG, &how.deep, NULL, "read all files and compare their content"},
        {0, "overlay", LC_OPT_STRING, &how.overlay, "FILE",
         "write changes to FILE, an image that refers to this one"},
        {0, "overlay-if-large", LC_OPT_STRING, &how.overlay_if_large, "FILE",
         "the same, only if writing IMAGE anew would take much longer"},
        {'n', "dry-run", LC_OPT_FLAG, &how.dry_run, NULL, "say what changed, write nothing"},
        {'j', "jobs", LC_OPT_LONG, &how.jobs, "N",
         "questions to the file system at once, at most; fewer while its answers slow down", 1,
         256},
        {0, "all", LC_OPT_FLAG, &all, NULL, "print every change, not the first 20"},
        {0, "json", LC_OPT_FLAG, &json, NULL, "report as JSON"},
        {0},
    };
    const struct lc_cli cli = {
        .name = "loadcast check",
        .usage = "[options] IMAGE",
        .summary = "Compare an image with the file system, once per job, and update what changed.",
        .notes =
            "Exit status: 0 the image is up to date, 1 it could not be updated, 2 usage, 3 the "
            "image cannot\n"
            "be used.\n",
        .opts = opts,
    };
    struct lc_error err;
    int first, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    lc_output_ignore_sigxfsz();
    if (rc == 0 && argc - first != 1)
        rc = lc_error_set(&err, argc == first ? "needs an image" : "takes one image");
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    return check_run(&cli, argv[first], &how, json, all);
}
