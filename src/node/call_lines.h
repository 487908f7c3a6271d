/* SPDX-License-Identifier: MIT */
/* call_lines.h - lines of the pilot's log in memory that all its processes map. Freestanding.
 *
 * A line costs no system call, and stays when the process is killed. The file stands beside the
 * log, with LC_CALL_LINES behind its name:
 *
 *   unit 0     struct lc_call_lines_head
 *   unit 1...  struct lc_call_lines_unit: each is taken by one process, and written by it and the
 *              processes that it forks
 *
 * Each line is LC_CALL_LINES_BEGIN, written last, then the text, which has neither that byte nor
 * NUL in it, up to its '\n'. What a killed process has not completed begins with NUL. Units are
 * allocated before they are written to, and the file is never made shorter: a page that cannot be
 * had when it is written would end the program. Where that cannot be done (no fallocate, a limit on
 * the size of files, larger pages), lines are appended to the log itself. */
#ifndef LC_NODE_CALL_LINES_H
#define LC_NODE_CALL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LC_CALL_LINES ".lines"

enum {
    LC_CALL_LINES_UNIT = 1 << 14,
    LC_CALL_LINES_MOST = 8 << 20, /* bytes of the file; it is in the node's memory */
    LC_CALL_LINES_BEGIN = 1,
};

struct lc_call_lines_head {
    uint64_t units; /* taken so far, this one included */
    uint64_t bytes; /* of lines, by all processes */
};

enum { LC_CALL_LINES_TEXT = LC_CALL_LINES_UNIT - sizeof(uint64_t) };
struct lc_call_lines_unit {
    uint64_t used; /* of text; more than there is: a line did not fit any more */
    char text[LC_CALL_LINES_TEXT];
};

/* Make the file of this name. False: it cannot be had here, and nothing was made. */
bool lc_call_lines_make(const char *file);

/* Lines of this process go to the file of this log, if there is one. Not yet opened. */
void lc_call_lines_to(const char *log);

/* Add a line, which ends with '\n'. False: it is to be appended to the log. */
bool lc_call_lines_add(const char *line, size_t len);

#endif
