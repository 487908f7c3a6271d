/* SPDX-License-Identifier: MIT */
/* config.c - check a configuration */
#include "gen/model.h"

#include "util/human.h"

static int range_check(const char *what, long value, long min, long max, struct lc_error *err)
{
    if (value >= min && value <= max)
        return 0;
    return lc_error_set(err, "%s: %ld is not within %ld to %ld", what, value, min, max);
}

static int ranges_check(const struct lc_gen_config *c, struct lc_error *err)
{
    const struct {
        const char *what;
        long value, min, max;
    } all[] = {
        {"number of files", c->files, 1, LC_MOST_FILES},
        {"functions per module", c->module_avg, 1, LC_MOST_FUNCTIONS},
        {"number of utilities (-u)", c->utilities, 0, LC_MOST_FILES},
        {"functions per utility (-u)", c->utility_avg, c->utilities > 0, LC_MOST_FUNCTIONS},
        {"call depth (-d)", c->depth, 1, LC_MOST_DEPTH},
        {"length of names (-n)", c->name_pad, 0, LC_MOST_NAME},
        {"search directories (--search-dirs)", c->search_dirs, 0, LC_MOST_SEARCH_DIRS},
        {"directories in sys.path (--python-dirs)", c->python_dirs, 0, LC_MOST_SEARCH_DIRS},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (range_check(all[i].what, all[i].value, all[i].min, all[i].max, err) < 0)
            return -1;
    return 0;
}

int lc_gen_check(const struct lc_gen_config *c, struct lc_error *err)
{
    if (ranges_check(c, err) < 0)
        return -1;
    if (c->utilities >= c->files)
        return lc_error_set(
            err,
            "%ld utilities of %ld files leave no module; the number of files counts "
            "both: try %ld",
            c->utilities, c->files, c->files + c->utilities);
    long total = (c->files - c->utilities) * c->module_avg + c->utilities * c->utility_avg;
    if (total > LC_MOST_TOTAL)
        return lc_error_set(err, "%s functions in all; the most is %s",
                            lc_human_count((uint64_t)total).s, lc_human_count(LC_MOST_TOTAL).s);
    return 0;
}
