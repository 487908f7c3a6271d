/* SPDX-License-Identifier: MIT */
/* doctor_print.c - what 'loadcast doctor' prints for people */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "launch/words.h"
#include "util/human.h"

/* Colours only on a terminal, and not with NO_COLOR (no-color.org). */
static bool has_colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

void lc_machine_print(const struct lc_machine_findings *m)
{
    static const char *const colour[] = {"\033[32m", "\033[33m", "\033[31m"};
    bool coloured = has_colours();

    for (size_t i = 0; i < m->count; i++) {
        const struct lc_finding *f = &m->finding[i];
        printf("%s%-8s%s %-13s %s%s%s\n", coloured ? colour[f->level] : "",
               lc_finding_level_name(f->level), coloured ? "\033[0m" : "", f->name, f->text,
               f->next[0] ? "; next: " : "", f->next);
    }
}

void lc_doctor_print_plan(const struct lc_doctor *d)
{
    for (size_t i = 0; i < d->trials; i++)
        printf("%2zu  %-34s%s\n", i + 1, d->trial[i].name,
               d->trial[i].is_conditional ? "only if something differs" : "");
}

void lc_doctor_print_trial(void *arg, const struct lc_trial *t)
{
    char ending[128];

    (void)arg;
    lc_trial_ending(t, ending, sizeof(ending));
    fprintf(stderr, "loadcast doctor: %s: %s after %s%s\n", t->name, ending,
            lc_human_seconds(t->end.seconds).s, t->differs ? ", differs" : "");
}

/* The command as a shell reads it. */
static void command_print(const struct lc_doctor *d, const char *before)
{
    struct lc_buf text = {0};

    lc_words_quote(&text, d->argv);
    printf("%s%s\n", before, lc_buf_text(&text));
    lc_buf_free(&text);
}

static void same_print(const struct lc_doctor *d)
{
    char ending[128];

    printf("same       exit status, output%s are as without Loadcast\n",
           d->no_libraries || d->no_compare.text[0] ? "" : " and libraries");
    const struct lc_trial *plain = lc_doctor_plain(d);
    lc_trial_ending(plain, ending, sizeof(ending));
    if (plain->end.status != 0)
        printf("note       as it is, it ends so: %s\n", ending);
    if (d->is_unused)
        printf("note       no process used the image: a static or set-user-ID program, or one "
               "that the image does not know\n");
}

static void difference_print(const struct lc_doctor *d)
{
    const struct lc_trial *t = lc_doctor_differing(d);

    if (t)
        printf("difference %s\n", lc_buf_text(&t->difference));
}

static void part_print(const struct lc_doctor *d)
{
    const struct lc_client_part_about *part = &lc_client_parts[d->part];

    printf("differs    %s: without this part the program behaves as without Loadcast\n",
           part->name);
    difference_print(d);
    printf("until then %s in the environment turns this part off\n", part->off);
}

static void verdict_print(const struct lc_doctor *d)
{
    switch (d->verdict) {
    case LC_VERDICT_SAME:
        same_print(d);
        return;
    case LC_VERDICT_PART:
        part_print(d);
        return;
    case LC_VERDICT_SEVERAL:
        printf("differs    more than one part: without any the program behaves as without "
               "Loadcast, without one alone it does not\n");
        break;
    case LC_VERDICT_LAUNCH:
        printf("differs    no part of the client: the program differs as soon as it starts from "
               "node memory\n");
        break;
    case LC_VERDICT_UNSTEADY:
        printf("unsteady   it differed with Loadcast once, and then not again: no part is named\n");
        break;
    case LC_VERDICT_ITSELF:
        printf("itself     it differs between plain runs, too: no part is named\n");
        break;
    }
    difference_print(d);
    if (lc_verdict_is_different(d->verdict))
        printf("until then LOADCAST=0 in the environment turns Loadcast off\n");
}

static void compared_print(const struct lc_doctor *d)
{
    printf("compared   standard output: %s; standard error: %s\n", lc_output_rule_text(&d->output),
           lc_output_rule_text(&d->errors));
    if (d->no_compare.text[0])
        printf("note       libraries were not compared: %s\n", d->no_compare.text);
}

void lc_doctor_print_verdict(const struct lc_doctor *d, const char *bundle)
{
    verdict_print(d);
    compared_print(d);
    if (bundle)
        printf("attach     '%s' to a report; read it before: it holds what the program printed\n",
               bundle);
    else if (lc_verdict_is_different(d->verdict))
        command_print(d, "report     with: loadcast doctor --bundle report.tar -- ");
}
