/* SPDX-License-Identifier: MIT */
/* error.h - text of a failure, for a person to read, and the exit codes all programs share */
#ifndef LC_UTIL_ERROR_H
#define LC_UTIL_ERROR_H

/* A message says what failed, on what, why, and what to do about it; lower case, no full stop. */
struct lc_error {
    char text[1024];
};

/* Exit codes of every subcommand. Commands that run the user's program (trace, record, exec, run)
 * end with the program's own status, and use 125 to 127 for what went wrong before it ran. */
enum lc_exit {
    LC_EXIT_OK = 0,
    LC_EXIT_FAILED = 1,  /* the work could not be done */
    LC_EXIT_USAGE = 2,   /* the command line makes no sense */
    LC_EXIT_IMAGE = 3,   /* an image cannot be used: missing, damaged, newer, foreign */
    LC_EXIT_SLOWER = 3,  /* report --compare: the second is slower */
    LC_EXIT_REFUSED = 4, /* bench: not measured, the caches could not be made cold; predict: too
                            many requests */
    LC_EXIT_SELF = 125,  /* program runners: our own failure, usage included */
    LC_EXIT_NOT_EXECUTABLE = 126, /* program runners: found, but cannot be executed */
    LC_EXIT_NOT_FOUND = 127,      /* program runners: no such program */
};

/* Fill err (may be NULL) and return -1, so that failing is one line. errno is preserved. */
int lc_error_set(struct lc_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As lc_error_set, with ": " and the text of errno appended. */
int lc_error_errno(struct lc_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The exit code of a program runner if starting the program failed with errno 'code'. */
int lc_exit_of_start(int code);

/* The symbolic name of an errno value ("ENOENT"), or NULL if it has none. */
const char *lc_errno_name(int code);

#endif
