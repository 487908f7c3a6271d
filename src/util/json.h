/* SPDX-License-Identifier: MIT */
/* json.h - additions to jansson: strings of any bytes, provenance, reading and writing files */
#ifndef LC_UTIL_JSON_H
#define LC_UTIL_JSON_H

#include <jansson.h>

#include "util/error.h"

/* A JSON string from any bytes, since paths need not be UTF-8. Invalid bytes become the text \xNN.
 */
json_t *lc_json_text(const char *bytes);

/* Provenance of an output: which program, when, where, with which command line (argv ends with
 * NULL; passwords and tokens are hidden):
 * {"program", "version", "time", "host", "kernel", "machine", "command": [...]} */
json_t *lc_json_provenance(const char *program, char *const argv[]);

/* Parse an open file (-1: none); NULL if it is not JSON. The descriptor is closed. (jansson's own
 * json_loadfd reads byte by byte.) */
json_t *lc_json_read(int fd);

/* Write 'value' (borrowed) to a file, or to stdout for "-"; the file is replaced completely or not
 * at all. 0, or -1 with err filled. */
int lc_json_write(json_t *value, const char *file, struct lc_error *err);

#endif
