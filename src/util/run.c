/* SPDX-License-Identifier: MIT */
/* run.c - run a program and wait for its end */
#include "util/run.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void lc_argv_free(struct lc_argv *argv)
{
    for (size_t i = 0; i < argv->count; i++)
        free(argv->item[i]);
    free(argv->item);
    *argv = (struct lc_argv){0};
}

static void word_add_owned(struct lc_argv *argv, char *word)
{
    if (argv->count + 2 > argv->cap && word && !argv->failed) {
        size_t cap = argv->cap ? argv->cap * 2 : 32;
        char **item = realloc(argv->item, cap * sizeof(*item));
        argv->failed = !item;
        argv->item = item ? item : argv->item;
        argv->cap = item ? cap : argv->cap;
    }
    argv->failed |= !word;
    if (argv->failed) {
        free(word);
        return;
    }
    argv->item[argv->count++] = word;
    argv->item[argv->count] = NULL;
}

void lc_argv_add(struct lc_argv *argv, const char *word)
{
    word_add_owned(argv, strdup(word));
}

void lc_argv_printf(struct lc_argv *argv, const char *fmt, ...)
{
    char *word = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&word, fmt, ap) < 0)
        word = NULL;
    va_end(ap);
    word_add_owned(argv, word);
}

void lc_argv_add_all(struct lc_argv *argv, char *const *list)
{
    for (; *list; list++)
        lc_argv_add(argv, *list);
}

void lc_argv_words(struct lc_argv *argv, const char *words)
{
    while (*(words += strspn(words, " \t\n"))) {
        size_t n = strcspn(words, " \t\n");
        word_add_owned(argv, strndup(words, n));
        words += n;
    }
}

/* In the child: restore signals to what they were when we were started, redirect output, and
 * execute. */
static void exec_child(const struct lc_argv *argv, const char *dir, int out, int errors)
{
    sigset_t none;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(null, STDIN_FILENO);
    dup2(out >= 0 ? out : null, STDOUT_FILENO);
    dup2(errors >= 0 ? errors : null, STDERR_FILENO);
    if (dir && chdir(dir) < 0)
        _exit(126);
    execvp(argv->item[0], argv->item);
    dprintf(STDERR_FILENO, "%s: %s\n", argv->item[0], strerror(errno));
    _exit(127);
}

static void read_all(int fd, struct lc_buf *out)
{
    char part[4096];
    ssize_t n;

    while ((n = read(fd, part, sizeof(part))) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            lc_buf_add(out, part, (size_t)n);
}

/* Start a program, read what it writes to 'stream', and wait. 'errors' is a descriptor for its
 * standard error, or -1. Returns the status, or -1 with err filled. */
static int run_and_read(const struct lc_argv *argv, const char *dir, int stream, int errors,
                        struct lc_buf *said, struct lc_error *err)
{
    int fd[2], status = 0;

    if (argv->failed || argv->count == 0)
        return lc_error_set(err, "cannot run a program: out of memory");
    if (pipe2(fd, O_CLOEXEC) < 0)
        return lc_error_errno(err, "cannot run '%s'", argv->item[0]);
    pid_t pid = fork();
    if (pid == 0)
        exec_child(argv, dir, stream == STDOUT_FILENO ? fd[1] : -1,
                   stream == STDERR_FILENO ? fd[1] : errors);
    close(fd[1]);
    if (pid > 0)
        read_all(fd[0], said);
    close(fd[0]);
    if (pid < 0)
        return lc_error_errno(err, "cannot run '%s'", argv->item[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* The most useful line of a failing program's output: the first one with "error", "cannot" or the
 * like, or else its first line. */
static void first_error_line(const struct lc_buf *said, char *out, size_t size)
{
    const char *text = lc_buf_text(said);
    const char *telling[] = {"No space left", "ld: ", "error", "cannot", "fatal"};
    size_t n = 0;

    for (size_t i = 0; i < sizeof(telling) / sizeof(*telling); i++) {
        const char *found = strstr(text, telling[i]);
        if (!found)
            continue;
        while (found > text && found[-1] != '\n')
            found--;
        text = found;
        break;
    }
    for (; *text && *text != '\n' && n + 1 < size; text++)
        out[n++] = *text;
    out[n] = '\0';
}

int lc_run(const struct lc_argv *argv, const char *dir, struct lc_error *err)
{
    struct lc_buf said = {0};
    int status = run_and_read(argv, dir, STDERR_FILENO, -1, &said, err);
    char text[400];

    if (status > 0) {
        first_error_line(&said, text, sizeof(text));
        if (WIFSIGNALED(status))
            lc_error_set(err, "'%s' was ended by signal %d", argv->item[0], WTERMSIG(status));
        else
            lc_error_set(err, "'%s' failed: %s", argv->item[0],
                         text[0] ? text : "it did not say why");
        status = -1;
    }
    lc_buf_free(&said);
    return status;
}

int lc_run_output(const struct lc_argv *argv, struct lc_buf *out, struct lc_error *err)
{
    int status = run_and_read(argv, NULL, STDOUT_FILENO, -1, out, err);

    if (status > 0)
        return lc_error_set(err, "'%s' failed", argv->item[0]);
    return status;
}

static bool has_letter(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (isalpha((unsigned char)text[i]))
            return true;
    return false;
}

/* The first sentence, for those that rule their message off by lines of dashes, as launchers do:
 * lines up to a full stop, a colon or an empty line. */
static void first_output_sentence(const char *text, char *out, size_t size)
{
    size_t at = 0;

    out[0] = '\0';
    for (size_t len; *text && at + 1 < size; text += len + (text[len] == '\n')) {
        len = strcspn(text, "\n");
        if (!has_letter(text, len) && at > 0)
            return;
        if (!has_letter(text, len))
            continue;
        int n = snprintf(out + at, size - at, "%s%.*s", at ? " " : "", (int)len, text);
        at += n > 0 ? (size_t)n : 0;
        if (text[len - 1] == '.' || text[len - 1] == ':')
            return;
    }
}

/* The last line of a failing program's output, where Python and most others print the reason; if
 * that is no text, the first sentence. */
static void output_quote(const struct lc_buf *said, char *out, size_t size)
{
    const char *text = lc_buf_text(said);
    size_t end = said->len;

    while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == ' '))
        end--;
    size_t start = end;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    if (has_letter(text + start, end - start))
        snprintf(out, size, "%.*s", (int)(end - start), text + start);
    else
        first_output_sentence(text, out, size);
}

int lc_run_output_quiet(const struct lc_argv *argv, struct lc_buf *out, struct lc_error *err)
{
    struct lc_buf said = {0};
    char text[600];
    int errors = memfd_create("stderr", MFD_CLOEXEC);
    int status = run_and_read(argv, NULL, STDOUT_FILENO, errors, out, err);

    if (status > 0) {
        lseek(errors, 0, SEEK_SET);
        read_all(errors, &said);
        output_quote(&said, text, sizeof(text));
        status = lc_error_set(err, "'%s' failed: %s", argv->item[0],
                              text[0] ? text : "it did not say why");
    }
    if (errors >= 0)
        close(errors);
    lc_buf_free(&said);
    return status;
}
