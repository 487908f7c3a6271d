/* SPDX-License-Identifier: MIT */
/* output_rule.h - is an output like that of two plain runs, but for what differs between those?
 *
 * Times, addresses, process numbers and names of temporary files differ between two runs of a
 * program as it is; they must not be taken for a difference that Loadcast makes. */
#ifndef LC_DOCTOR_OUTPUT_RULE_H
#define LC_DOCTOR_OUTPUT_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"

/* The first of these ways in which the two plain outputs agree is the rule. */
enum lc_output_way {
    LC_OUTPUT_EXACT,
    LC_OUTPUT_SORTED,         /* the same lines in any order, as several ranks print */
    LC_OUTPUT_NUMBERS,        /* line by line, without numbers that differ */
    LC_OUTPUT_SORTED_NUMBERS, /* in any order, without any number */
    LC_OUTPUT_TORN,           /* the same characters, without numbers: see below */
    LC_OUTPUT_WORDS,          /* line by line, without words that differ */
    LC_OUTPUT_COMMON,         /* only lines that both have, without numbers */
};

struct lc_lines {
    char *text;
    char **line;
    size_t count;
};

/* The caller frees it; a zeroed one is fine. */
struct lc_output_rule {
    enum lc_output_way way;
    struct lc_lines a, b;
    bool may_be_torn; /* see below */
};

/* Learn from two texts. Lines that set variables of Loadcast's own (LD_AUDIT=...) are left out,
 * here and below. -1 with errno ENOMEM. */
int lc_output_rule_learn(struct lc_output_rule *rule, const char *a, const char *b);
/* Several ranks print through one launcher, which may put a line of one into that of another: an
 * output with the same characters in any order follows the rule, too. */
void lc_output_rule_allow_torn(struct lc_output_rule *rule);
void lc_output_rule_free(struct lc_output_rule *rule);

/* Does 'text' follow the rule? If not, the first difference is added to 'why': "plain '...', here
 * '...'". */
bool lc_output_rule_matches(const struct lc_output_rule *rule, const char *text,
                            struct lc_buf *why);

/* What is compared, for people: "all lines", "all lines, in any order", ... */
const char *lc_output_rule_text(const struct lc_output_rule *rule);

#endif
