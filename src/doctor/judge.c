/* SPDX-License-Identifier: MIT */
/* judge.c - did a run differ from the plain ones? */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor_private.h"
#include "util/io.h"

enum { MOST = 16 << 20 }; /* bytes of an output that are compared */

char *lc_doctor_read_text(const char *file)
{
    char *text = malloc(MOST + 1);
    int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t n = text && fd >= 0 ? lc_read_at(fd, text, MOST, 0) : -1;

    if (fd >= 0)
        close(fd);
    if (n < 0) {
        free(text);
        return NULL;
    }
    text[n] = '\0';
    for (ssize_t i = 0; i < n; i++)
        text[i] = text[i] ? text[i] : 1;
    char *fitted = realloc(text, (size_t)n + 1);
    return fitted ? fitted : text;
}

static int rule_learn(struct lc_output_rule *rule, const char *a, const char *b)
{
    char *one = lc_doctor_read_text(a), *two = lc_doctor_read_text(b);
    int rc = one && two ? lc_output_rule_learn(rule, one, two) : -1;

    free(one);
    free(two);
    return rc;
}

static void torn_allow(struct lc_doctor *d)
{
    if (!d->is_launch_line)
        return;
    lc_output_rule_allow_torn(&d->output);
    lc_output_rule_allow_torn(&d->errors);
}

int lc_doctor_learn(struct lc_doctor *d, const struct lc_trial *a, const struct lc_trial *b,
                    struct lc_error *err)
{
    int rc = rule_learn(&d->output, a->output, b->output) == 0
                 ? rule_learn(&d->errors, a->errors, b->errors)
                 : -1;

    torn_allow(d);
    return rc == 0 ? 0 : lc_error_errno(err, "cannot compare the outputs in '%s'", d->own_dir);
}

/* Of two rules with the same first text, keep the one that compares less. */
static int rule_weaken(struct lc_output_rule *rule, const char *a, const char *c)
{
    struct lc_output_rule other = {0};
    int rc = rule_learn(&other, a, c);

    if (rc == 0 && other.way >= rule->way) {
        struct lc_output_rule old = *rule;
        *rule = other;
        other = old;
    }
    lc_output_rule_free(&other);
    return rc;
}

int lc_doctor_relearn(struct lc_doctor *d, const struct lc_trial *a, const struct lc_trial *c,
                      struct lc_error *err)
{
    int rc = rule_weaken(&d->output, a->output, c->output) == 0
                 ? rule_weaken(&d->errors, a->errors, c->errors)
                 : -1;

    torn_allow(d);
    return rc == 0 ? 0 : lc_error_errno(err, "cannot compare the outputs in '%s'", d->own_dir);
}

static bool endings_equal(const struct lc_trial *a, const struct lc_trial *b)
{
    return a->end.timed_out == b->end.timed_out &&
           (a->end.timed_out || a->end.status == b->end.status);
}

/* Has any plain run ended so? */
static bool ending_is_plain(const struct lc_doctor *d, const struct lc_trial *t)
{
    for (size_t i = 0; i < d->trials; i++) {
        const struct lc_trial *other = &d->trial[i];
        if (other != t && other->kind == LC_TRIAL_PLAIN && other->has_run && !other->is_traced &&
            endings_equal(other, t))
            return true;
    }
    return false;
}

static void ending_judge(const struct lc_doctor *d, const struct lc_trial *plain,
                         struct lc_trial *t)
{
    char was[128], is[128];

    if (ending_is_plain(d, t))
        return;
    lc_trial_ending(plain, was, sizeof(was));
    lc_trial_ending(t, is, sizeof(is));
    lc_buf_printf(&t->difference, "%s, plain %s", is, was);
    t->differs = true;
}

static void stream_judge(struct lc_trial *t, const struct lc_output_rule *rule, const char *file,
                         const char *what)
{
    char *text = lc_doctor_read_text(file);
    struct lc_buf why = {0};

    if (text && !lc_output_rule_matches(rule, text, &why)) {
        lc_buf_printf(&t->difference, "%s%s: %s", t->difference.len ? "; " : "", what,
                      lc_buf_text(&why));
        t->differs = true;
    }
    lc_buf_free(&why);
    free(text);
}

void lc_trial_judge(const struct lc_doctor *d, const struct lc_trial *plain, struct lc_trial *t)
{
    t->differs = false;
    lc_buf_clear(&t->difference);
    if (t->is_traced) {
        t->differs = !lc_libraries_match(&plain->libraries, &t->libraries, &t->difference);
        return;
    }
    ending_judge(d, plain, t);
    stream_judge(t, &d->output, t->output, "standard output");
    stream_judge(t, &d->errors, t->errors, "standard error");
}
