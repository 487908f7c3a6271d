/* SPDX-License-Identifier: MIT */
/* date.c - parse a date that a user typed */
#include "util/date.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/clock.h"

/* Seconds of "7d" or "12h"; -1 if the text is not of that form. */
static double seconds_ago(const char *text)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}};
    char *end;
    double number = strtod(text, &end);

    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (end != text && number >= 0 && number < 1e9 && strcmp(end, units[i].name) == 0)
            return number * units[i].seconds;
    return -1;
}

/* Does the date exist? timegm() would accept the 31st of February as the 3rd of March. */
static bool is_date(const struct tm *tm, time_t *at)
{
    struct tm same = *tm;

    *at = timegm(&same);
    return same.tm_mday == tm->tm_mday && same.tm_mon == tm->tm_mon && same.tm_sec == tm->tm_sec;
}

int lc_parse_date(const char *what, const char *text, int64_t *wall_ns, struct lc_error *err)
{
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M",
                                        "%Y-%m-%d"};
    double ago = seconds_ago(text);

    if (ago >= 0) {
        *wall_ns = (int64_t)lc_clock_wall_ns() - (int64_t)(ago * 1e9);
        return 0;
    }
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        struct tm tm = {0};
        time_t at;
        const char *end = strptime(text, forms[i], &tm);
        if (end && !*end && is_date(&tm, &at)) {
            *wall_ns = (int64_t)at * 1000000000;
            return 0;
        }
    }
    return lc_error_set(err,
                        "%s: '%s' is neither a date (2026-01-31, 2026-01-31T12:34, in UTC) nor "
                        "how long ago (90min, 12h, 7d, 4w)",
                        what, text);
}
