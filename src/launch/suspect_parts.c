/* SPDX-License-Identifier: MIT */
/* suspect_parts.c - a program that died while it loaded runs without the part that is suspected of
 * it; see store/suspect.h for the steps */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "image/hash.h"
#include "image/image.h"
#include "launch/job_run.h"
#include "launch/suspect_parts.h"
#include "node/format.h"
#include "node/parts.h"
#include "stage/deaths.h"
#include "store/entry.h"
#include "util/path.h"

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, BY_SIGNAL = 128 };

/* The program's number in the store: that of the line's key, or of the image that was named. */
static bool suspect_id(const struct lc_job_run *run, uint64_t *id)
{
    const char *key = run->key[0] || run->image[0] ? run->key : run->missing.text;

    if (run->private_dir[0])
        return false;
    if (key[0])
        *id = lc_suspect_id_of_key(key);
    return key[0] || lc_image_id(run->image, id, NULL) == 0;
}

/* Sizes and times of the files that the line names: program, script and input. */
static uint64_t line_stamp(const struct lc_job_run *run)
{
    struct lc_buf text = {0};
    char path[PATH_MAX];
    struct stat st;

    for (int i = 0; run->argv[i]; i++)
        if (lc_path_find_program(path, sizeof(path), run->argv[i], NULL) == 0 ||
            snprintf(path, sizeof(path), "%s", run->argv[i]) < (int)sizeof(path))
            if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
                lc_buf_printf(&text, "%lld %lld.%09ld\n", (long long)st.st_size,
                              (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    uint64_t stamp = lc_hash(lc_buf_text(&text), strlen(lc_buf_text(&text)));
    lc_buf_free(&text);
    return stamp;
}

/* How the line ended: 128 + signal, or its exit status. */
static int end_code(int status)
{
    return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

bool lc_suspect_parts_has_died(const struct lc_job_run *run, int status)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGTRAP, SIGSYS};
    int code = end_code(status);

    if (run->asked || run->options->strict)
        return false;
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
        if (code == BY_SIGNAL + faults[i])
            return true;
    return code == NOT_EXECUTABLE || code == NOT_FOUND;
}

void lc_suspect_text(const struct lc_suspect *s, struct lc_error *out)
{
    char how[64] = "";

    if (s->status > BY_SIGNAL)
        snprintf(how, sizeof(how), " by signal %d (%s)", s->status - BY_SIGNAL,
                 strsignal(s->status - BY_SIGNAL));
    else if (s->status < BY_SIGNAL)
        snprintf(how, sizeof(how), " with status %d", s->status);
    if (s->off == LC_OFF_WATCHING)
        lc_error_set(out,
                     "an earlier run died%s while it was watched for an image, so this one is not "
                     "watched; whether that is at fault, for a report: loadcast doctor -- ...; to "
                     "watch again: loadcast images reset",
                     how);
    else
        lc_error_set(out,
                     "an earlier run died%s while it loaded, so this one does without %s; which "
                     "part is at fault, for a report: loadcast doctor -- ...; to use all again: "
                     "loadcast images reset",
                     how, lc_off_text(s->off));
}

void lc_suspect_switch_off(enum lc_off off)
{
    static const char *const variable[LC_OFFS] = {
        [LC_OFF_BINDINGS] = LC_BIND_VARIABLE,
        [LC_OFF_PYTHON] = LC_PYTHON_VARIABLE,
        [LC_OFF_AUDIT] = LC_AUDIT_VARIABLE,
        [LC_OFF_ALL] = LC_NODE_OFF,
    };

    if (variable[off])
        setenv(variable[off], "0", 1);
}

enum lc_off lc_suspect_off_of(enum lc_start_part part)
{
    static const enum lc_off off[LC_START_PARTS] = {[LC_PART_BINDINGS] = LC_OFF_BINDINGS,
                                                    [LC_PART_PYTHON] = LC_OFF_PYTHON,
                                                    [LC_PART_AUDIT] = LC_OFF_AUDIT,
                                                    [LC_PART_PRELOAD] = LC_OFF_ALL};

    return off[part];
}

/* Does what was found out hold for this line? One without an image only runs watched, or not.
 * Without a part that was seen, changed files are another case. */
static bool still_holds(const struct lc_job_run *run, uint64_t id)
{
    const struct lc_suspect *s = &run->suspect;
    bool has_image = run->image[0];

    if (has_image ? s->off == LC_OFF_WATCHING : s->off != LC_OFF_WATCHING && s->off != LC_OFF_ALL)
        return false;
    if (s->seen || s->stamp == line_stamp(run))
        return true;
    if (s->off == LC_OFF_WATCHING) /* the watcher asks, too: cmd/watched_rank.c */
        lc_suspect_forget(id);
    return false;
}

void lc_suspect_parts_begin(struct lc_job_run *run, bool *is_plain)
{
    struct lc_suspect *s = &run->suspect;
    struct lc_error said;
    uint64_t id;

    *is_plain = false;
    if (run->options->dry_run || run->options->strict || !suspect_id(run, &id))
        return;
    lc_suspect_read(id, s);
    bool is_trial = s->state == LC_SUSPECT_TRYING || s->state == LC_SUSPECT_KEPT;
    if (is_trial && !still_holds(run, id))
        *s = (struct lc_suspect){.state = LC_SUSPECT_NONE};
    if (!is_trial || s->off == LC_OFF_NOTHING)
        return;
    lc_suspect_text(s, &said);
    lc_job_run_tell(run, LC_MESSAGE_NOTE, "%s", said.text);
    lc_suspect_switch_off(s->off);
    *is_plain = s->off == LC_OFF_ALL || s->off == LC_OFF_WATCHING;
}

void lc_suspect_parts_end_watched(const struct lc_job_run *run, const struct lc_store_key *key,
                                  int status)
{
    uint64_t id = lc_suspect_id_of_key(key->text);
    struct lc_suspect s = run->suspect;
    struct lc_store_dir dir;

    if (lc_store_dir_open(&dir, false, NULL) < 0)
        return;
    if (!run->is_described)
        lc_suspect_read_in(&dir, id, &s);
    if (s.state == LC_SUSPECT_NONE && !lc_store_entry_has_image(&dir, key->text)) {
        lc_suspect_died_watched(&s, end_code(status));
        s.stamp = line_stamp(run);
        lc_suspect_write(id, &s);
        lc_store_entry_describe(&dir, key, false); /* only where that is there the next run looks */
    }
    lc_store_dir_close(&dir);
}

static struct lc_deaths deaths_of_nodes(const struct lc_staging_report *end)
{
    struct lc_deaths sum = {0};
    const json_t *node;
    size_t i;

    json_array_foreach(end->nodes, i, node)
    {
        struct lc_deaths one = lc_deaths_of_report(node);
        lc_deaths_add(&sum, &one);
    }
    return sum;
}

/* A run without Loadcast leaves no notes: the same end as the first time is the same death. A line
 * that somebody ended tells nothing, nor do nodes that do not answer. */
void lc_suspect_parts_end(struct lc_job_run *run, int status, const struct lc_staging_report *end)
{
    struct lc_suspect *s = &run->suspect, before = *s;
    bool has_died = lc_suspect_parts_has_died(run, status);
    bool is_plain =
        s->state == LC_SUSPECT_TRYING && (s->off == LC_OFF_ALL || s->off == LC_OFF_WATCHING);
    struct lc_deaths deaths = {0};
    uint64_t id;

    if (run->asked || (!has_died && s->state != LC_SUSPECT_TRYING) || !suspect_id(run, &id))
        return;
    if (has_died && !is_plain && (!end || json_array_size(end->nodes) == 0))
        return;
    if (has_died && is_plain)
        deaths.count = end_code(status) == s->status;
    else if (has_died)
        deaths = deaths_of_nodes(end);
    int code = end_code(status);
    bool is_ended_from_outside = code == BY_SIGNAL + SIGKILL || code == BY_SIGNAL + SIGTERM ||
                                 code == BY_SIGNAL + SIGINT || code == BY_SIGNAL + SIGHUP;
    if (deaths.count > 0)
        lc_suspect_died(s, lc_suspect_off_of(deaths.part), deaths.has_replayed, code);
    else if (!is_ended_from_outside)
        lc_suspect_lived(s);
    if (s->state == LC_SUSPECT_TRYING && before.state == LC_SUSPECT_NONE && !s->seen)
        s->stamp = line_stamp(run);
    if (memcmp(s, &before, sizeof(before)) != 0)
        lc_suspect_write(id, s);
}
