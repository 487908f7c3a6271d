/* SPDX-License-Identifier: MIT */
/* counts.c - print the client's counters as text and as JSON */
#include "cmd/counts.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/advice.h"
#include "launch/words.h"
#include "util/buf.h"
#include "util/human.h"

enum { TOP_PATHS = 10, TOP_PROCESSES = 16, MOST_ADVISED = 4 };

static uint64_t kinds_sum(const struct lc_counts *c, bool (*of)(int kind))
{
    uint64_t n = 0;

    for (int i = 0; i < LC_COUNTS; i++)
        n += of(i) ? c->count[i] : 0;
    return n;
}

static void print_group(const struct lc_counts *c, const char *title, bool (*of)(int kind),
                        FILE *out)
{
    const char *comma = "";

    fprintf(out, "%s %s", title, lc_human_count(kinds_sum(c, of)).s);
    for (int i = 0; i < LC_COUNTS; i++)
        if (of(i) && c->count[i] > 0) {
            fprintf(out, "%s%s %s", *comma ? comma : ": ", lc_human_count(c->count[i]).s,
                    lc_count_names[i].text);
            comma = ", ";
        }
    fprintf(out, "\n");
}

void lc_counts_print(const struct lc_counts *c, FILE *out)
{
    fprintf(out, "processes  %s\n", lc_human_count(c->count[LC_COUNT_PROCESSES]).s);
    print_group(c, "answered  ", lc_count_is_answered, out);
    print_group(c, "passed    ", lc_count_is_passed, out);
    fprintf(out, "opened     %s in node memory\n", lc_human_bytes(c->bytes_opened).s);
}

/* Would a call of this kind be served if its path were recorded? */
static bool recording_would_serve(const struct lc_passed_path *path)
{
    return path->path[0] == '/' &&
           (path->kind == LC_COUNT_PASS_UNKNOWN || path->kind == LC_COUNT_PASS_SEARCH ||
            path->kind == LC_COUNT_PASS_NO_CONTENT);
}

/* A path that fills its field is truncated and does not name a file. */
static bool path_is_whole(const struct lc_passed_path *path)
{
    return strlen(path->path) + 1 < LC_PASSED_LEN;
}

static bool words_contain(char **words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* Print a 'record' command that the user can paste. */
static void print_advice(struct lc_passed_path *path, size_t count, const char *image, FILE *out)
{
    char add[] = "--add", unknown[] = "IMAGE";
    char *words[3 + 2 * MOST_ADVISED] = {image ? (char *)(uintptr_t)image : unknown};
    struct lc_buf text = {0};
    size_t n = 1;

    for (size_t i = 0; i < count && n < 2 * MOST_ADVISED; i++)
        if (recording_would_serve(&path[i]) && path_is_whole(&path[i]) &&
            lc_advice_shorten(path[i].path, image) && !words_contain(words, n, path[i].path)) {
            words[n++] = add;
            words[n++] = path[i].path;
        }
    lc_words_quote(&text, words);
    if (n > 1)
        fprintf(out, "to have them answered too: loadcast record -o %s\n", lc_buf_text(&text));
    lc_buf_free(&text);
}

void lc_counts_print_passed(const struct lc_live *live, const struct lc_live *before,
                            const char *image, FILE *out)
{
    struct lc_passed_path path[LC_PASSED_PATHS];
    size_t count = lc_live_passed(live, before, path),
           shown = count < TOP_PATHS ? count : TOP_PATHS;
    struct lc_buf text = {0};

    if (count > 0)
        fprintf(out, "asked of the file system most:\n");
    for (size_t i = 0; i < shown; i++) {
        lc_buf_clear(&text);
        lc_buf_escape(&text, path[i].path, strlen(path[i].path));
        fprintf(out, "  %10s  %s (%s)\n", lc_human_count(path[i].count).s, lc_buf_text(&text),
                path[i].kind < LC_COUNTS ? lc_count_names[path[i].kind].text : "?");
    }
    if (count > shown)
        fprintf(out, "  and %zu more\n", count - shown);
    print_advice(path, shown, image, out);
    lc_buf_free(&text);
}

/* The difference to 'before' of all numbers; texts are copied. */
static struct lc_live_bindings bindings_since(const struct lc_live *live,
                                              const struct lc_live *before)
{
    struct lc_live_bindings b = live->bindings;

    if (before) {
        b.replayed -= before->bindings.replayed;
        b.refused -= before->bindings.refused;
        b.bindings -= before->bindings.bindings;
        b.hidden -= before->bindings.hidden;
        b.compared -= before->bindings.compared;
        b.different -= before->bindings.different;
    }
    b.refusal_text[LC_PASSED_LEN - 1] = b.difference_path[LC_PASSED_LEN - 1] = '\0';
    return b;
}

static void print_escaped(const char *before, const char *text, FILE *out)
{
    struct lc_buf b = {0};

    lc_buf_escape(&b, text, strlen(text));
    fprintf(out, "%s%s\n", before, lc_buf_text(&b));
    lc_buf_free(&b);
}

void lc_counts_print_bindings(const struct lc_live *live, const struct lc_live *before, FILE *out)
{
    struct lc_live_bindings b = bindings_since(live, before);

    if (b.replayed + b.refused == 0)
        return;
    fprintf(out, "bindings   %s replayed in %s groups; %s groups refused\n",
            lc_human_count(b.bindings).s, lc_human_count(b.replayed).s,
            lc_human_count(b.refused).s);
    if (b.hidden)
        fprintf(out, "pruned     %s needed names that ld.so need not read\n",
                lc_human_count(b.hidden).s);
    if (b.refused && live->bindings.refusal == 2)
        print_escaped("           first refusal: ", b.refusal_text, out);
    if (b.compared)
        fprintf(out, "verified   %s bindings looked up again: %s different\n",
                lc_human_count(b.compared).s, lc_human_count(b.different).s);
    if (b.different && live->bindings.difference == 2)
        print_escaped("           first difference in ", b.difference_path, out);
}

static void print_process(const struct lc_live_process *p, FILE *out)
{
    struct lc_buf text = {0};

    lc_buf_escape(&text, p->name, strlen(p->name));
    fprintf(out, "  %10" PRIu32 "  %s groups replayed, %s refused (%s)\n", p->pid,
            lc_human_count(p->replayed).s, lc_human_count(p->refused).s, lc_buf_text(&text));
    lc_buf_free(&text);
    if (p->refusal_text[0])
        print_escaped("              first refusal: ", p->refusal_text, out);
}

void lc_counts_print_processes(const struct lc_live *live, FILE *out)
{
    struct lc_live_process process[LC_LIVE_PROCESSES];
    size_t count = lc_live_processes(live, process),
           shown = count < TOP_PROCESSES ? count : TOP_PROCESSES;
    uint64_t all = live->binders;

    if (count > 0)
        fprintf(out, "bindings by process:\n");
    for (size_t i = 0; i < shown; i++)
        print_process(&process[i], out);
    if (all > shown)
        fprintf(out, "  and %s more\n", lc_human_count(all - shown).s);
}

static json_t *processes_json(const struct lc_live *live)
{
    struct lc_live_process process[LC_LIVE_PROCESSES];
    size_t count = lc_live_processes(live, process);
    json_t *all = json_array();

    for (size_t i = 0; i < count; i++) {
        const struct lc_live_process *p = &process[i];
        json_array_append_new(
            all,
            json_pack("{s:I, s:o, s:I, s:I, s:I, s:o}", "pid", (json_int_t)p->pid, "name",
                      lc_json_text(p->name), "replayed", (json_int_t)p->replayed, "refused",
                      (json_int_t)p->refused, "bindings", (json_int_t)p->bindings, "first_refusal",
                      p->refusal_text[0] ? lc_json_text(p->refusal_text) : json_null()));
    }
    return all;
}

json_t *lc_counts_bindings_json(const struct lc_live *live)
{
    struct lc_live_bindings b = bindings_since(live, NULL);

    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "replayed",
                     (json_int_t)b.replayed, "hidden", (json_int_t)b.hidden, "refused",
                     (json_int_t)b.refused, "bindings", (json_int_t)b.bindings, "compared",
                     (json_int_t)b.compared, "different", (json_int_t)b.different, "first_refusal",
                     live->bindings.refusal == 2 ? lc_json_text(b.refusal_text) : json_null(),
                     "first_difference",
                     live->bindings.difference == 2 ? lc_json_text(b.difference_path) : json_null(),
                     "by_process", processes_json(live));
}

json_t *lc_counts_json(const struct lc_counts *c)
{
    json_t *all = json_object();

    for (int i = 0; i < LC_COUNTS; i++)
        json_object_set_new(all, lc_count_names[i].key, json_integer((json_int_t)c->count[i]));
    json_object_set_new(all, "answered",
                        json_integer((json_int_t)kinds_sum(c, lc_count_is_answered)));
    json_object_set_new(all, "passed", json_integer((json_int_t)kinds_sum(c, lc_count_is_passed)));
    json_object_set_new(all, "bytes_opened", json_integer((json_int_t)c->bytes_opened));
    return all;
}

json_t *lc_counts_passed_json(const struct lc_live *live)
{
    struct lc_passed_path path[LC_PASSED_PATHS];
    size_t count = lc_live_passed(live, NULL, path);
    json_t *all = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            all, json_pack("{s:o, s:I, s:s}", "path", lc_json_text(path[i].path), "count",
                           (json_int_t)path[i].count, "why",
                           path[i].kind < LC_COUNTS ? lc_count_names[path[i].kind].key : "?"));
    return all;
}

static const char *unfit_text(const struct lc_live *live, char out[LC_PASSED_LEN])
{
    bool is_ready = __atomic_load_n(&live->unfit_state, __ATOMIC_ACQUIRE) == 2;

    snprintf(out, LC_PASSED_LEN, "%.*s", is_ready ? LC_PASSED_LEN - 1 : 0, live->unfit_text);
    return out;
}

void lc_counts_print_unfit(const struct lc_live *live, FILE *out)
{
    char text[LC_PASSED_LEN];

    if (live->unfit > 0)
        fprintf(out, "without    our auditor: %s program%s, first %s\n",
                lc_human_count(live->unfit).s, live->unfit == 1 ? "" : "s", unfit_text(live, text));
}

json_t *lc_counts_unfit_json(const struct lc_live *live)
{
    char text[LC_PASSED_LEN];

    return json_pack("{s:I, s:o}", "programs", (json_int_t)live->unfit, "first",
                     lc_json_text(unfit_text(live, text)));
}
