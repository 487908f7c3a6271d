/* SPDX-License-Identifier: MIT */
/* human.c - numbers as people write them */
#include "util/human.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lc_text lc_human_count(uint64_t n)
{
    struct lc_text t;
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
    int at = 0;

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            t.s[at++] = ',';
        t.s[at++] = digits[i];
    }
    t.s[at] = '\0';
    return t;
}

struct lc_text lc_human_bytes(uint64_t bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    struct lc_text t;
    double v = (double)bytes;
    size_t u = 0;

    for (; v >= 999.95 && u + 1 < sizeof(unit) / sizeof(*unit); u++)
        v /= 1000;
    snprintf(t.s, sizeof(t.s), u == 0 ? "%.0f %s" : "%.1f %s", v, unit[u]);
    return t;
}

struct lc_text lc_human_seconds(double s)
{
    struct lc_text t;

    if (s < 1e-3)
        snprintf(t.s, sizeof(t.s), "%.0f us", s * 1e6);
    else if (s < 0.9995)
        snprintf(t.s, sizeof(t.s), "%.3g ms", s * 1e3);
    else if (s < 120)
        snprintf(t.s, sizeof(t.s), "%.1f s", s);
    else if (s < 7200)
        snprintf(t.s, sizeof(t.s), "%.0f min", s / 60);
    else if (s < 172800)
        snprintf(t.s, sizeof(t.s), "%.1f h", s / 3600);
    else
        snprintf(t.s, sizeof(t.s), "%.1f days", s / 86400);
    return t;
}

int lc_parse_long(const char *what, const char *text, long min, long max, long *out,
                  struct lc_error *err)
{
    char *end;

    errno = 0;
    long v = strtol(text, &end, 10);
    if (end == text || *end)
        return lc_error_set(err, "%s: '%s' is not a whole number", what, text);
    if (errno || v < min || v > max)
        return lc_error_set(err, "%s: %s is out of range; choose from %ld to %ld", what, text, min,
                            max);
    *out = v;
    return 0;
}

/* A kind of number: its units and its name. */
struct number_kind {
    double (*factor)(const char *unit); /* 0: not a known unit */
    const char *name;                   /* name for messages, with an example */
};

static int parse_scaled(const char *what, const char *text, const struct number_kind *number_kind,
                        double min, double max, double *out, struct lc_error *err)
{
    char *unit;

    errno = 0;
    double v = strtod(text, &unit);
    if (unit == text || errno || !isfinite(v) || number_kind->factor(unit) == 0)
        return lc_error_set(err, "%s: '%s' is not %s", what, text, number_kind->name);
    v *= number_kind->factor(unit);
    if (v < min || v > max)
        return lc_error_set(err, "%s: %s is out of range; choose from %g to %g", what, text, min,
                            max);
    *out = v;
    return 0;
}

static double no_factor(const char *unit)
{
    return *unit ? 0 : 1;
}

int lc_parse_double(const char *what, const char *text, double min, double max, double *out,
                    struct lc_error *err)
{
    static const struct number_kind number = {no_factor, "a number"};

    return parse_scaled(what, text, &number, min, max, out, err);
}

/* Factor of a byte unit, or 0: optional k/M/G/T, optional i, optional B. */
static double byte_factor(const char *unit)
{
    static const char prefix[] = "kmgt";
    double base = 1000, factor = 1;
    int power = 0;

    if (*unit) {
        const char *p = strchr(prefix, *unit | 0x20);
        if (p && *p) {
            power = (int)(p - prefix) + 1;
            unit++;
        }
    }
    if (power && *unit == 'i') {
        base = 1024;
        unit++;
    }
    if (*unit == 'B')
        unit++;
    while (power-- > 0) /* pow() would make every rank of bench load libm */
        factor *= base;
    return *unit ? 0 : factor;
}

int lc_parse_bytes(const char *what, const char *text, double min, double max, double *out,
                   struct lc_error *err)
{
    static const struct number_kind size = {byte_factor, "a size; try 64M or 1.5GiB"};

    return parse_scaled(what, text, &size, min, max, out, err);
}

static double second_factor(const char *unit)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"", 1},   {"s", 1},    {"ms", 1e-3}, {"us", 1e-6},
                 {"m", 60}, {"min", 60}, {"h", 3600},  {"d", 86400}};

    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].factor;
    return 0;
}

int lc_parse_seconds(const char *what, const char *text, double min, double max, double *out,
                     struct lc_error *err)
{
    static const struct number_kind seconds = {second_factor, "a time; try 60s or 250ms"};

    return parse_scaled(what, text, &seconds, min, max, out, err);
}

int lc_parse_long_list(const char *what, const char *text, long min, long max, long **out,
                       size_t *count, struct lc_error *err)
{
    enum { MOST = 64 };
    long *list = calloc(MOST, sizeof(*list));
    char *copy = strdup(text);
    size_t n = 0;
    int rc = -1;

    if (!list || !copy) {
        lc_error_errno(err, "%s", what);
        goto out;
    }
    char *rest = copy;
    for (char *word; (word = strsep(&rest, ",")); n++) {
        if (n == MOST) {
            lc_error_set(err, "%s: more than %d numbers", what, MOST);
            goto out;
        }
        if (lc_parse_long(what, word, min, max, &list[n], err) < 0)
            goto out;
    }
    *out = list;
    *count = n;
    list = NULL;
    rc = 0;
out:
    free(list);
    free(copy);
    return rc;
}
