/* SPDX-License-Identifier: MIT */
/* output_rule.c - is an output like that of two plain runs, but for what differs between those? */
#include "doctor/output_rule.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 160 }; /* bytes of a line that a difference shows */

/* "LD_AUDIT=..." as printed by env, set and export. */
static bool line_is_own_variable(const char *line)
{
    static const char *const before[] = {"export ", "declare -x "};
    static const char *const names[] = {"LD_AUDIT=", "LD_PRELOAD=", "LOADCAST", "GLIBC_TUNABLES="};

    for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
        if (strncmp(line, before[i], strlen(before[i])) == 0)
            line += strlen(before[i]);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0)
            return strchr(line, '=');
    return false;
}

static void lines_free(struct lc_lines *lines)
{
    free(lines->text);
    free(lines->line);
    *lines = (struct lc_lines){0};
}

static int lines_split(struct lc_lines *lines, const char *text)
{
    size_t most = 1;

    for (const char *c = text; *c; c++)
        most += *c == '\n';
    *lines = (struct lc_lines){.text = strdup(text), .line = calloc(most, sizeof(char *))};
    if (!lines->text || !lines->line) {
        lines_free(lines);
        return -1;
    }
    char *rest = lines->text;
    for (char *line; (line = strsep(&rest, "\n"));)
        if ((rest || *line) && !line_is_own_variable(line))
            lines->line[lines->count++] = line;
    return 0;
}

/* Does the number go on with a decimal point or an exponent's sign? */
static bool number_goes_on(const char *at)
{
    bool is_sign = (at[0] == '-' || at[0] == '+') && (at[-1] == 'e' || at[-1] == 'E');

    return (at[0] == '.' || is_sign) && isdigit((unsigned char)at[1]);
}

/* The length of the number at the start of a text: a run of hexadecimal digits (and "0x") that has
 * a decimal one, also with a decimal point or an exponent; 0 if there is none. */
static size_t number_len(const char *text)
{
    size_t n = 0;
    bool has_digit = false;

    for (; isxdigit((unsigned char)text[n]) || (n == 1 && text[0] == '0' && text[n] == 'x') ||
           (n > 0 && has_digit && number_goes_on(text + n));
         n++)
        has_digit |= isdigit((unsigned char)text[n]) != 0;
    return has_digit ? n : 0;
}

static size_t piece_len(const char *text)
{
    size_t n = number_len(text);

    return n ? n : *text != '\0';
}

static bool piece_equal(const char *a, size_t n, const char *b, size_t m)
{
    return n == m && memcmp(a, b, n) == 0;
}

/* Is 'x' like 'a' and 'b'? Numbers that differ between those two may be any. */
static bool line_matches_numbers(const char *a, const char *b, const char *x)
{
    while (*a || *b || *x) {
        size_t n = piece_len(a), m = piece_len(b), k = piece_len(x);
        bool all_numbers = number_len(a) && number_len(b) && number_len(x);
        bool is_wild = all_numbers && !piece_equal(a, n, b, m);
        if (!is_wild && (!piece_equal(a, n, b, m) || !piece_equal(a, n, x, k)))
            return false;
        a += n;
        b += m;
        x += k;
    }
    return true;
}

static size_t word_len(const char *text)
{
    return strcspn(text, " \t");
}

/* Is 'x' like 'a' and 'b'? Words that differ between those two may be any, and so may the whole
 * line if their numbers of words differ. */
static bool line_matches_words(const char *a, const char *b, const char *x)
{
    const char *p = a, *q = b;
    bool is_like = true;

    for (;;) {
        p += strspn(p, " \t");
        q += strspn(q, " \t");
        x += strspn(x, " \t");
        if (!*p || !*q)
            return (*p || *q) ? true : is_like && !*x;
        if (piece_equal(p, word_len(p), q, word_len(q)))
            is_like &= piece_equal(p, word_len(p), x, word_len(x));
        p += word_len(p);
        q += word_len(q);
        x += word_len(x);
    }
}

/* Write the line with "#" for each number over itself. */
static void numbers_mask(char *line)
{
    char *out = line;

    while (*line) {
        size_t n = number_len(line);
        *out++ = n ? '#' : *line;
        line += n ? n : 1;
    }
    *out = '\0';
}

static int line_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A copy, as the way needs it for a comparison of sets. */
static int lines_prepare(struct lc_lines *out, const struct lc_lines *in, enum lc_output_way way)
{
    struct lc_buf text = {0};

    for (size_t i = 0; i < in->count; i++) {
        lc_buf_puts(&text, in->line[i]);
        lc_buf_putc(&text, '\n');
    }
    int rc = text.failed ? -1 : lines_split(out, lc_buf_text(&text));
    lc_buf_free(&text);
    for (size_t i = 0; rc == 0 && way != LC_OUTPUT_SORTED && i < out->count; i++)
        numbers_mask(out->line[i]);
    if (rc == 0 && out->count > 0)
        qsort(out->line, out->count, sizeof(char *), line_order);
    return rc;
}

static void difference_tell(struct lc_buf *why, const char *plain, const char *here)
{
    if (!why)
        return;
    lc_buf_puts(why, plain ? "plain '" : "plain has no such line");
    if (plain)
        lc_buf_escape(why, plain, strnlen(plain, SHOWN));
    lc_buf_puts(why, plain ? "', " : ", ");
    lc_buf_puts(why, here ? "here '" : "here it is missing");
    if (here)
        lc_buf_escape(why, here, strnlen(here, SHOWN));
    lc_buf_puts(why, here ? "'" : "");
}

static bool line_matches(enum lc_output_way way, const char *a, const char *b, const char *x)
{
    if (way == LC_OUTPUT_NUMBERS)
        return line_matches_numbers(a, b, x);
    return way == LC_OUTPUT_WORDS ? line_matches_words(a, b, x) : strcmp(a, x) == 0;
}

/* Line by line. */
static bool rows_match(enum lc_output_way way, const struct lc_lines *a, const struct lc_lines *b,
                       const struct lc_lines *x, struct lc_buf *why)
{
    for (size_t i = 0; i < a->count || i < x->count; i++) {
        const char *plain = i < a->count ? a->line[i] : NULL;
        const char *here = i < x->count ? x->line[i] : NULL;
        if (plain && here && i < b->count && line_matches(way, plain, b->line[i], here))
            continue;
        difference_tell(why, plain, here);
        return false;
    }
    return a->count == b->count;
}

/* Both lists are sorted. 'is_part': x may have more. */
static bool sets_match(const struct lc_lines *a, const struct lc_lines *x, bool is_part,
                       struct lc_buf *why)
{
    size_t i = 0, k = 0;

    while (i < a->count || k < x->count) {
        int order = i == a->count ? 1 : k == x->count ? -1 : strcmp(a->line[i], x->line[k]);
        if (order < 0 || (order > 0 && !is_part)) {
            difference_tell(why, order < 0 ? a->line[i] : NULL, order < 0 ? NULL : x->line[k]);
            return false;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return true;
}

/* Keep the lines of 'a' that 'b' has, too. Both are sorted. */
static void lines_intersect(struct lc_lines *a, const struct lc_lines *b)
{
    size_t kept = 0, k = 0;

    for (size_t i = 0; i < a->count; i++) {
        while (k < b->count && strcmp(b->line[k], a->line[i]) < 0)
            k++;
        if (k < b->count && strcmp(b->line[k], a->line[i]) == 0) {
            a->line[kept++] = a->line[i];
            k++;
        }
    }
    a->count = kept;
}

static bool way_is_by_row(enum lc_output_way way)
{
    return way == LC_OUTPUT_EXACT || way == LC_OUTPUT_NUMBERS || way == LC_OUTPUT_WORDS;
}

static bool lines_match(enum lc_output_way way, const struct lc_lines *a, const struct lc_lines *b,
                        const struct lc_lines *x, struct lc_buf *why)
{
    struct lc_lines p = {0}, q = {0}, r = {0};
    bool is_like = false;

    if (way_is_by_row(way))
        return rows_match(way, a, b, x, why);
    if (lines_prepare(&p, a, way) == 0 && lines_prepare(&q, b, way) == 0 &&
        lines_prepare(&r, x, way) == 0) {
        if (way == LC_OUTPUT_COMMON)
            lines_intersect(&p, &q);
        is_like = sets_match(&p, &r, way == LC_OUTPUT_COMMON, why);
    }
    lines_free(&p);
    lines_free(&q);
    lines_free(&r);
    return is_like;
}

/* How often each character occurs, but those of numbers if they do not count. */
static void characters_count(const struct lc_lines *lines, bool with_numbers, size_t count[256])
{
    memset(count, 0, 256 * sizeof(*count));
    for (size_t i = 0; i < lines->count; i++)
        for (const char *c = lines->line[i]; *c; c++)
            if (with_numbers || (!isxdigit((unsigned char)*c) && !strchr("x.+-", *c)))
                count[(unsigned char)*c]++;
}

static bool characters_match(const struct lc_lines *a, const struct lc_lines *x, bool with_numbers)
{
    size_t p[256], q[256];

    characters_count(a, with_numbers, p);
    characters_count(x, with_numbers, q);
    return a->count == x->count && memcmp(p, q, sizeof(p)) == 0;
}

void lc_output_rule_allow_torn(struct lc_output_rule *rule)
{
    rule->may_be_torn = true;
    if (rule->way > LC_OUTPUT_TORN && characters_match(&rule->a, &rule->b, false))
        rule->way = LC_OUTPUT_TORN;
}

int lc_output_rule_learn(struct lc_output_rule *rule, const char *a, const char *b)
{
    *rule = (struct lc_output_rule){0};
    if (lines_split(&rule->a, a) < 0 || lines_split(&rule->b, b) < 0)
        return -1;
    for (int way = LC_OUTPUT_EXACT; way < LC_OUTPUT_COMMON; way++) {
        rule->way = (enum lc_output_way)way;
        if (way != LC_OUTPUT_TORN && lines_match(rule->way, &rule->a, &rule->b, &rule->b, NULL))
            return 0;
    }
    rule->way = LC_OUTPUT_COMMON;
    return 0;
}

void lc_output_rule_free(struct lc_output_rule *rule)
{
    lines_free(&rule->a);
    lines_free(&rule->b);
}

bool lc_output_rule_matches(const struct lc_output_rule *rule, const char *text, struct lc_buf *why)
{
    struct lc_lines x = {0};
    bool is_like = false;

    if (lines_split(&x, text) == 0)
        is_like = (rule->may_be_torn && rule->way <= LC_OUTPUT_TORN &&
                   characters_match(&rule->a, &x, rule->way <= LC_OUTPUT_SORTED)) ||
                  lines_match(rule->way, &rule->a, &rule->b, &x, why);

    lines_free(&x);
    return is_like;
}

const char *lc_output_rule_text(const struct lc_output_rule *rule)
{
    static const char *const text[] = {
        [LC_OUTPUT_EXACT] = "all lines",
        [LC_OUTPUT_SORTED] = "all lines, in any order",
        [LC_OUTPUT_NUMBERS] = "all but numbers that differ between plain runs",
        [LC_OUTPUT_SORTED_NUMBERS] = "all but numbers, in any order",
        [LC_OUTPUT_TORN] = "all characters but numbers, in any order",
        [LC_OUTPUT_WORDS] = "all but words that differ between plain runs",
        [LC_OUTPUT_COMMON] = "only lines that all plain runs have, without numbers",
    };

    return text[rule->way];
}
