/* SPDX-License-Identifier: MIT */
/* fields.h - names and offsets of a run's text members; JSON, CSV and the database use these lists
 */
#ifndef LC_RESULTS_FIELDS_H
#define LC_RESULTS_FIELDS_H

#include <stddef.h>

struct lc_field {
    const char *name;
    size_t offset; /* of a const char * */
};

/* Both end with a zeroed entry. */
extern const struct lc_field lc_key_fields[];   /* of struct lc_run_key */
extern const struct lc_field lc_place_fields[]; /* of struct lc_run_place */

static inline const char **lc_field_at(void *of, const struct lc_field *field)
{
    return (const char **)((char *)of + field->offset);
}

static inline const char *lc_field_of(const void *of, const struct lc_field *field)
{
    return *(const char *const *)((const char *)of + field->offset);
}

#endif
