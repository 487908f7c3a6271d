/* SPDX-License-Identifier: MIT */
/* compare.c - compare two sets of runs */
#include "report/compare.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/human.h"
#include "util/nearest.h"
#include "util/date.h"

enum { KEYS = 7 };

/* The words of a choice. 'key' is the member of a match's key that is ignored if a choice names
 * this word; -1 for none. */
static const struct {
    const char *name;
    size_t offset; /* of a const char * in struct lc_choice */
    int key;
} words[] = {
    {"suite", offsetof(struct lc_choice, filter.suite), -1},
    {"case", offsetof(struct lc_choice, filter.name), 0},
    {"mode", offsetof(struct lc_choice, filter.mode), 1},
    {"target", offsetof(struct lc_choice, filter.target), 2},
    {"with", offsetof(struct lc_choice, filter.with), 5},
    {"cache", offsetof(struct lc_choice, filter.cache), 6},
    {"version", offsetof(struct lc_choice, version), -1},
    {"host", offsetof(struct lc_choice, host), -1},
    {"job", offsetof(struct lc_choice, job), -1},
    {"since", offsetof(struct lc_choice, since), -1},
    {"until", offsetof(struct lc_choice, until), -1},
};

enum { WORDS = sizeof(words) / sizeof(*words) };

static const char **word_at(struct lc_choice *choice, size_t i)
{
    return (const char **)((char *)choice + words[i].offset);
}

static int word_unknown(const char *name, struct lc_error *err)
{
    const char *names[WORDS + 1] = {NULL};

    for (size_t i = 0; i < WORDS; i++)
        names[i] = words[i].name;
    const char *near = lc_nearest(name, names);
    return lc_error_set(
        err,
        "--compare: '%s' is neither a database nor one of suite, case, mode, "
        "target, with, cache, version, host, job, since, until with '=' and a value%s%s%s",
        name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int times_parse(struct lc_choice *c, struct lc_error *err)
{
    if (c->since && lc_parse_date("--compare: since", c->since, &c->filter.since_ns, err) < 0)
        return -1;
    if (c->until && lc_parse_date("--compare: until", c->until, &c->filter.until_ns, err) < 0)
        return -1;
    return c->since && c->until && c->filter.since_ns >= c->filter.until_ns
               ? lc_error_set(err, "--compare: since=%s is not before until=%s", c->since, c->until)
               : 0;
}

int lc_choice_parse(const char *text, struct lc_choice *choice, struct lc_error *err)
{
    struct stat st;
    char *save = NULL;

    *choice = (struct lc_choice){0};
    if (!strchr(text, '=') || stat(text, &st) == 0) {
        choice->db = text;
        return stat(text, &st) < 0 ? word_unknown(text, err) : 0;
    }
    choice->words = strdup(text);
    for (char *word = choice->words ? strtok_r(choice->words, ",", &save) : NULL; word;
         word = strtok_r(NULL, ",", &save)) {
        char *value = strchr(word, '=');
        size_t i = 0;
        if (value)
            *value++ = 0;
        while (i < WORDS && strcmp(word, words[i].name) != 0)
            i++;
        if (i == WORDS || !value)
            return word_unknown(word, err);
        *word_at(choice, i) = value;
    }
    return choice->words ? times_parse(choice, err) : lc_error_set(err, "out of memory");
}

static char *word_find(char *text, const char *word)
{
    size_t len = strlen(word);

    while (text && strncmp(text, word, len) != 0)
        if ((text = strchr(text, ',')))
            text++;
    return text;
}

char *lc_choice_before(const char *text)
{
    char *before = strdup(text), *since = word_find(before, "since=");

    if (!since || word_find(before, "until=")) {
        free(before);
        return NULL;
    }
    memcpy(since, "until", strlen("until"));
    return before;
}

void lc_choice_free(struct lc_choice *choice)
{
    free(choice->words);
}

struct reading {
    struct lc_comparison *into;
    const struct lc_run_filter *common;
    const struct lc_choice *choice;
    unsigned open; /* bit set of keys that the choices name, which are not compared */
    bool is_b;
};

static bool run_is_chosen(const struct lc_choice *c, const struct lc_run *run)
{
    return (!c->version || strcmp(c->version, run->place.version) == 0) &&
           (!c->host || strcmp(c->host, run->place.host) == 0) &&
           (!c->job || strcmp(c->job, run->place.job) == 0);
}

static struct lc_match *match_find(struct reading *r, const struct lc_run_key *k)
{
    char ranks[24], nodes[24];
    const char *key[KEYS] = {k->name, k->mode, k->target, ranks, nodes, k->with, k->cache};
    struct lc_buf text = {0};

    snprintf(ranks, sizeof(ranks), "%ld", k->ranks);
    snprintf(nodes, sizeof(nodes), "%ld", k->nodes);
    for (int i = 0; i < KEYS; i++)
        lc_buf_printf(&text, "%s\x1f", r->open >> i & 1 ? "" : key[i]);
    struct lc_match *match = lc_map_object(&r->into->by_key, lc_buf_text(&text), sizeof(*match));
    lc_buf_free(&text);
    for (int i = 0; match && i < KEYS; i++)
        if (!match->key[i] && !(match->key[i] = strdup(r->open >> i & 1 ? "" : key[i])))
            return NULL;
    return match;
}

static int add_run(void *arg, const struct lc_run *run)
{
    struct reading *r = arg;

    if (run->status != LC_RUN_DONE || isnan(run->total_s) || !run_is_chosen(r->choice, run))
        return 0;
    struct lc_match *match = match_find(r, &run->key);
    if (!match)
        return -1;
    lc_numbers_add(r->is_b ? &match->b : &match->a, run->total_s);
    ++*(r->is_b ? &r->into->runs_b : &r->into->runs_a);
    return 0;
}

/* The filter of a choice; words that it does not name are taken from 'common', the other options of
 * the command line. */
static struct lc_run_filter choice_filter(const struct lc_choice *choice,
                                          const struct lc_run_filter *common)
{
    struct lc_run_filter f = choice->filter;

    f.suite = f.suite ? f.suite : common->suite;
    f.name = f.name ? f.name : common->name;
    f.mode = f.mode ? f.mode : common->mode;
    f.target = f.target ? f.target : common->target;
    f.cache = f.cache ? f.cache : common->cache;
    f.since_ns = f.since_ns ? f.since_ns : common->since_ns;
    f.until_ns = f.until_ns ? f.until_ns : common->until_ns;
    return f;
}

static int choice_read(const char *db, struct reading *r, struct lc_error *err)
{
    struct lc_run_filter filter = choice_filter(r->choice, r->common);
    struct lc_results *results =
        lc_results_open(r->choice->db ? r->choice->db : db, LC_RESULTS_READ, err);

    if (!results)
        return -1;
    int rc = lc_results_each(results, &filter, LC_READ_PLACE, add_run, r, err);
    lc_results_close(results);
    return rc;
}

static int by_p(const void *a, const void *b)
{
    double x = (*(struct lc_match *const *)a)->test.p, y = (*(struct lc_match *const *)b)->test.p;

    return (x > y) - (x < y);
}

static enum lc_compare_verdict match_verdict(const struct lc_match *m, double threshold)
{
    if (m->test.ratio > 1 + threshold && m->test.effect > 0)
        return LC_SLOWER;
    return m->test.ratio < 1 / (1 + threshold) && m->test.effect < 0 ? LC_FASTER : LC_SAME;
}

/* Among many points some differ by chance. This is the method of Benjamini and Hochberg, for one
 * direction: of the points that are reported as slower (or faster), about the share 'alpha' at most
 * is wrong. 'match' is sorted by p. Returns the largest p that is significant; *next is the largest
 * p that one more point could have had. */
static double largest_significant_p(struct lc_match **match, size_t n, bool slower, double alpha,
                                    double *next)
{
    size_t seen = 0, differ = 0;
    double largest = -1;

    for (size_t i = 0; i < n; i++) {
        if ((match[i]->test.effect > 0) != slower)
            continue;
        seen++;
        if (match[i]->test.p / 2 <= alpha * (double)seen / (double)n) {
            differ = seen;
            largest = match[i]->test.p;
        }
    }
    *next = 2 * alpha * (double)(differ + 1) / (double)n;
    return largest;
}

/* Gives each point its verdict. If a point has so few runs that even the clearest difference would
 * not be significant, the verdict is LC_TOO_FEW, not LC_SAME. */
static void verdicts_decide(struct lc_match **match, size_t n, double alpha, double threshold)
{
    double next[2], largest[2];

    qsort(match, n, sizeof(*match), by_p);
    for (int slower = 0; slower < 2; slower++)
        largest[slower] = largest_significant_p(match, n, slower, alpha, &next[slower]);
    for (size_t i = 0; i < n; i++) {
        struct lc_match *m = match[i];
        int slower = m->test.effect > 0;
        if (m->test.p <= largest[slower])
            m->verdict = match_verdict(m, threshold);
        else
            m->verdict = lc_rank_test_min_p(m->a.n, m->b.n) > next[slower] ? LC_TOO_FEW : LC_SAME;
    }
}

static void verdicts_count(struct lc_comparison *c)
{
    for (size_t i = 0; i < c->by_key.count; i++) {
        const struct lc_match *m = c->by_key.entry[i].value;
        c->only_a += m->b.n == 0;
        c->only_b += m->a.n == 0;
        if (m->a.n == 0 || m->b.n == 0)
            continue;
        c->slower += m->verdict == LC_SLOWER;
        c->faster += m->verdict == LC_FASTER;
        c->same += m->verdict == LC_SAME;
        c->too_few += m->verdict == LC_TOO_FEW;
    }
}

static int matches_test(struct lc_comparison *c, double alpha, double threshold)
{
    struct lc_match **match = calloc(c->by_key.count + 1, sizeof(*match));
    size_t n = 0;

    for (size_t i = 0; match && i < c->by_key.count; i++) {
        struct lc_match *m = c->by_key.entry[i].value;
        lc_numbers_sort(&m->a);
        lc_numbers_sort(&m->b);
        if (m->a.n == 0 || m->b.n == 0)
            continue;
        m->test = lc_rank_test(&m->a, &m->b);
        match[n++] = m;
    }
    if (!match)
        return -1;
    verdicts_decide(match, n, alpha, threshold);
    free(match);
    verdicts_count(c);
    return 0;
}

int lc_compare(const char *db, const struct lc_run_filter *common, const struct lc_choice *a,
               const struct lc_choice *b, double alpha, double threshold, struct lc_comparison *out,
               struct lc_error *err)
{
    struct reading reading = {.into = out, .common = common, .choice = a};

    *out = (struct lc_comparison){0};
    *err = (struct lc_error){{0}};
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].key >= 0 &&
            (*word_at((struct lc_choice *)a, i) || *word_at((struct lc_choice *)b, i)))
            reading.open |= 1u << words[i].key;
    int rc = choice_read(db, &reading, err);
    reading.choice = b;
    reading.is_b = true;
    if (rc == 0)
        rc = choice_read(db, &reading, err);
    if (rc == 0)
        rc = matches_test(out, alpha, threshold);
    if (rc < 0 && !*err->text)
        lc_error_set(err, "cannot compare: out of memory");
    if (rc < 0)
        lc_comparison_free(out);
    return rc;
}

static void match_free(void *value)
{
    struct lc_match *match = value;

    for (int i = 0; i < KEYS; i++)
        free(match->key[i]);
    lc_numbers_free(&match->a);
    lc_numbers_free(&match->b);
    free(match);
}

void lc_comparison_free(struct lc_comparison *c)
{
    lc_map_free(&c->by_key, match_free);
}
