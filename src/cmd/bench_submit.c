/* SPDX-License-Identifier: MIT */
/* bench_submit.c - loadcast bench --submit: run the same command as a batch job */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/bench.h"
#include "util/buf.h"
#include "util/own_path.h"
#include "util/run.h"

char **lc_bench_copy_words(int argc, char **argv)
{
    char **words = calloc((size_t)argc + 1, sizeof(*words));

    for (int i = 0; words && i < argc; i++)
        words[i] = argv[i];
    return words;
}

/* Quote a word for a shell: in single quotes, with single quotes inside written as '\''. */
static void word_quote(struct lc_buf *out, const char *word)
{
    lc_buf_puts(out, " '");
    for (; *word; word++)
        if (*word == '\'')
            lc_buf_puts(out, "'\\''");
        else
            lc_buf_putc(out, *word);
    lc_buf_putc(out, '\'');
}

/* Write a batch script that runs this program with these words, without --submit and its argument.
 */
static int script_write(struct lc_buf *out, char **words, struct lc_error *err)
{
    char self[PATH_MAX], here[PATH_MAX];

    if (lc_own_front(self, err) < 0)
        return -1;
    if (!getcwd(here, sizeof(here)))
        return lc_error_errno(err, "cannot find out where we are");
    lc_buf_puts(out, "#!/bin/sh\ncd");
    word_quote(out, here);
    lc_buf_puts(out, " || exit 1\nexec");
    word_quote(out, self);
    for (; *words; words++) {
        if (strncmp(*words, "--submit=", 9) == 0)
            continue;
        if (strcmp(*words, "--submit") == 0) {
            words += words[1] != NULL;
            continue;
        }
        word_quote(out, *words);
    }
    lc_buf_putc(out, '\n');
    return out->failed ? lc_error_set(err, "out of memory") : 0;
}

/* Pass the script on standard input: sbatch, qsub, bsub and flux batch all read it there. */
static int script_submit(const char *line, const struct lc_buf *script, struct lc_error *err)
{
    signal(SIGPIPE, SIG_IGN);       /* the submit command may fail without reading its input */
    FILE *queue = popen(line, "w"); /* the user's own command line, quotes included */

    if (!queue)
        return lc_error_errno(err, "cannot run '%s'", line);
    size_t wrote = fwrite(script->data, 1, script->len, queue);
    int status = pclose(queue);
    if (status != 0 || wrote != script->len)
        return lc_error_set(err, "'%s' did not take the job (status %d)", line,
                            WIFEXITED(status) ? WEXITSTATUS(status) : status);
    return 0;
}

int lc_bench_submit(const struct lc_cli *cli, const char *line, char **words)
{
    struct lc_buf script = {0};
    struct lc_error err;
    int rc = words ? script_write(&script, words, &err) : lc_error_set(&err, "out of memory");

    if (rc == 0)
        rc = script_submit(line, &script, &err);
    lc_buf_free(&script);
    return rc < 0 ? lc_cli_fail(cli, LC_EXIT_FAILED, &err) : LC_EXIT_OK;
}
