/* SPDX-License-Identifier: MIT */
/* json.h - jansson with what every command needs: safe strings, provenance, writing to a file */
#ifndef LC_UTIL_JSON_H
#define LC_UTIL_JSON_H

#include <jansson.h>

#include "util/error.h"

/* A JSON string from any bytes: paths need not be UTF-8. Bytes that are not become the text \xNN.
 */
json_t *lc_json_text(const char *bytes);

/* Who made this, when, where, with which command line (argv ends with NULL; what
 * looks like a password or token is hidden):
 * {"program", "version", "time", "host", "kernel", "machine", "command": [...]} */
json_t *lc_json_provenance(const char *program, char *const argv[]);

/* All of an open file (-1 for none) as a value; NULL if it is not JSON. The descriptor is closed.
 * (jansson's own json_loadfd reads byte by byte.) */
json_t *lc_json_read(int fd);

/* Write 'value' (borrowed) to a file, or to stdout for "-"; the file appears whole or not at all.
 * 0, or -1 with err filled. */
int lc_json_write(json_t *value, const char *file, struct lc_error *err);

#endif
