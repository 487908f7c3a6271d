/* SPDX-License-Identifier: MIT */
/* compare_show.c - a comparison for a terminal, and as JSON */
#include <stdlib.h>
#include <string.h>

#include "report/compare.h"
#include "report/words.h"
#include "util/human.h"
#include "util/json.h"
#include "util/table.h"

static const char *const verdicts[] = {[LC_SAME] = "no difference",
                                       [LC_FASTER] = "faster",
                                       [LC_SLOWER] = "SLOWER",
                                       [LC_TOO_FEW] = "too few runs"};

static void match_add(struct lc_table *table, const struct lc_match *m)
{
    for (int i = 0; i < 7; i++)
        lc_table_add(table, "%s", *m->key[i] ? lc_words_short(m->key[i]).s : "*");
    lc_table_add(table, "%s (%zu)", lc_human_seconds(lc_median(&m->a)).s, m->a.n);
    lc_table_add(table, "%s (%zu)", lc_human_seconds(lc_median(&m->b)).s, m->b.n);
    lc_table_add(table, "%.3f", m->test.ratio);
    lc_table_add(table, "%+.2f", m->test.effect);
    lc_table_add(table, "%.2g", m->test.p);
    lc_table_add(table, "%s", verdicts[m->verdict]);
}

static bool is_compared(const struct lc_match *m)
{
    return m->a.n > 0 && m->b.n > 0;
}

void lc_comparison_print(const struct lc_comparison *c, const char *a, const char *b, FILE *out)
{
    static const char *const heading[] = {"<case",  "<mode",  "<target",  "ranks",    "nodes",
                                          "<with",  "<cache", "A (runs)", "B (runs)", "B/A",
                                          "effect", "p",      "<B is"};
    struct lc_table table;

    fprintf(out, "A: %s\nB: %s\n\n", lc_words_short(a).s, lc_words_short(b).s);
    lc_table_begin(&table, 13);
    for (size_t i = 0; i < 13; i++)
        lc_table_add(&table, "%s", heading[i]);
    for (size_t i = 0; i < c->by_key.count; i++)
        if (is_compared(c->by_key.entry[i].value))
            match_add(&table, c->by_key.entry[i].value);
    lc_table_print(&table, out);
    fprintf(out,
            "\nB is slower at %zu points, faster at %zu, no different at %zu; too few runs at "
            "%zu.\n",
            c->slower, c->faster, c->same, c->too_few);
    if (c->only_a || c->only_b)
        fprintf(out, "Not compared: %zu points that only A has, %zu that only B has.\n", c->only_a,
                c->only_b);
    fprintf(out, "(Medians of the worst rank's time; effect is Cliff's delta, p of a two-sided "
                 "Mann-Whitney test.)\n");
}

static json_t *match_json(const struct lc_match *m)
{
    static const char *const names[] = {"case",  "mode", "target", "ranks",
                                        "nodes", "with", "cache"};
    json_t *one =
        json_pack("{s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:s}", "runs_a", (json_int_t)m->a.n,
                  "runs_b", (json_int_t)m->b.n, "median_a_s", lc_median(&m->a), "median_b_s",
                  lc_median(&m->b), "ratio", m->test.ratio, "effect", m->test.effect, "p",
                  m->test.p, "verdict", m->verdict == LC_SLOWER ? "slower" : verdicts[m->verdict]);

    for (int i = 0; one && i < 7; i++)
        if (*m->key[i])
            json_object_set_new(one, names[i],
                                i == 3 || i == 4 ? json_integer(strtoll(m->key[i], NULL, 10))
                                                 : lc_json_text(m->key[i]));
    return one;
}

int lc_comparison_json(const struct lc_comparison *c, const char *a, const char *b, FILE *out,
                       struct lc_error *err)
{
    json_t *points = json_array();

    for (size_t i = 0; i < c->by_key.count; i++)
        if (is_compared(c->by_key.entry[i].value))
            json_array_append_new(points, match_json(c->by_key.entry[i].value));
    json_t *all =
        json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "a", lc_json_text(a), "b",
                  lc_json_text(b), "slower", (json_int_t)c->slower, "faster", (json_int_t)c->faster,
                  "same", (json_int_t)c->same, "too_few", (json_int_t)c->too_few, "only_a",
                  (json_int_t)c->only_a, "only_b", (json_int_t)c->only_b, "points", points);
    int rc = json_dumpf(all, out, JSON_INDENT(2));
    json_decref(all);
    fputc('\n', out);
    return rc < 0 || fflush(out) ? lc_error_errno(err, "cannot write the comparison") : 0;
}
