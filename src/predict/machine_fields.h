/* SPDX-License-Identifier: MIT */
/* machine_fields.h - private to src/predict: the keys of a machine file, with their ranges */
#ifndef LC_PREDICT_MACHINE_FIELDS_H
#define LC_PREDICT_MACHINE_FIELDS_H

#include <stddef.h>

#include "predict/machine.h"

enum lc_field_kind {
    LC_FIELD_NUMBER, /* double within [min, max] */
    LC_FIELD_COUNT,  /* the same, a whole number */
    LC_FIELD_SWITCH, /* yes or no: 1 or 0 */
    LC_FIELD_CHOICE, /* one of choices: its index */
    LC_FIELD_TEXT,   /* char[max] */
};

struct lc_machine_field {
    const char *section, *key; /* section "" for keys at the top */
    enum lc_field_kind kind;
    size_t offset;
    double min, max;
    double otherwise; /* the value if the key is absent; negative: the key is required */
    const char *const *choices;
};

extern const struct lc_machine_field lc_machine_fields[]; /* ends with a zeroed entry */
enum { LC_MACHINE_FIELDS_MOST = 40 };

/* Where each value stood in the file; line 0: it was not given. */
struct lc_machine_marks {
    int line[LC_MACHINE_FIELDS_MOST], column[LC_MACHINE_FIELDS_MOST];
};

/* The field of a key; NULL: there is none. */
const struct lc_machine_field *lc_machine_field(const char *section, const char *key);
/* The key nearest to a misspelt one, or NULL. */
const char *lc_machine_nearest_key(const char *section, const char *key);

/* Fills a field from text. 0, or -1 with err filled (without a place). */
int lc_machine_field_set(struct lc_machine_model *machine, const struct lc_machine_field *field,
                         const char *text, struct lc_error *err);

/* Puts defaults where no value was given, and checks values against each other. 0, or -1 with err
 * filled. */
int lc_machine_complete(struct lc_machine_model *machine, const char *file,
                        const struct lc_machine_marks *marks, struct lc_error *err);

#endif
