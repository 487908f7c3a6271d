/* SPDX-License-Identifier: MIT */
/* program_key.c - what does a command run in the end? */
#include "launch/program_key.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/hash.h"
#include "launch/command_prefix.h"
#include "launch/launch_line.h"
#include "launch/line_key.h"
#include "util/io.h"
#include "util/path.h"

enum { FIRST_LINE = 256 };

/* The path with links in its directory resolved, but not the last one. */
static void directory_resolve(char out[PATH_MAX], const char *path)
{
    char dir[PATH_MAX], real[PATH_MAX], here[PATH_MAX];
    size_t n = lc_path_dir_len(path);

    snprintf(dir, sizeof(dir), "%.*s", n ? (int)n : 1, n ? path : ".");
    if (realpath(dir, real) && snprintf(out, PATH_MAX, "%s/%s", strcmp(real, "/") ? real : "",
                                        lc_path_base(path)) < PATH_MAX)
        return;
    if (!getcwd(here, sizeof(here)) || lc_path_absolute(out, PATH_MAX, here, path) < 0)
        snprintf(out, PATH_MAX, "%s", path);
}

void lc_key_add_file(struct lc_key_search *search, const char *kind, const char *path)
{
    char found[PATH_MAX], real[PATH_MAX];

    directory_resolve(found, path);
    lc_store_key_add(search->key, kind, found);
    if (realpath(path, real) && strcmp(real, found) != 0)
        lc_store_key_add(search->key, "file", real);
}

void lc_key_add_code(struct lc_key_search *search, const char *code)
{
    char hash[24];

    snprintf(hash, sizeof(hash), "%016" PRIx64, lc_hash(code, strlen(code)));
    lc_store_key_add(search->key, "code", hash);
}

/* The words of a script's "#!" line. False if it has none. */
static bool first_line_split(const char *path, struct lc_argv *out)
{
    char line[FIRST_LINE + 1];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : lc_read_at(fd, line, FIRST_LINE, 0);

    if (fd >= 0)
        close(fd);
    if (n < 2 || memcmp(line, "#!", 2) != 0)
        return false;
    line[n] = '\0';
    line[strcspn(line, "\n")] = '\0';
    lc_argv_words(out, line + 2);
    return out->count > 0;
}

/* A script that is executed is what its interpreter runs. One that is called "python3" stands for
 * an interpreter, whatever it does to find it. */
static int script_add(struct lc_key_search *search, const char *path, char *const *words,
                      struct lc_argv *interpreter)
{
    lc_argv_add(interpreter, path);
    lc_argv_add_all(interpreter, words + 1);
    return interpreter->failed ? lc_error_set(search->err, "out of memory")
                               : lc_program_key_add(search, interpreter->item);
}

static int file_add(struct lc_key_search *search, const char *path, char *const *words)
{
    struct lc_argv interpreter = {0};
    int rc = 0;

    if (lc_runner_key_add(search, path, words)) {
        lc_store_key_name(search->key, path);
    } else if (search->depth < LC_KEY_DEPTH && !lc_key_is_interpreter(path) &&
               first_line_split(path, &interpreter)) {
        rc = script_add(search, path, words, &interpreter);
    } else {
        if (!lc_shell_key_add(search, path, words)) {
            lc_key_add_file(search, "program", path);
            lc_interpreter_key_add(search, path, words);
        }
        lc_store_key_name(search->key, path);
    }
    lc_argv_free(&interpreter);
    return rc;
}

static bool is_launcher(char *const *words)
{
    struct lc_launch_line line;

    lc_launch_line_find_programs(&line, words);
    return line.launcher != LC_LAUNCHER_NONE;
}

static int command_add(struct lc_key_search *search, char *const *words)
{
    char path[PATH_MAX];

    if (search->depth < LC_KEY_DEPTH && is_launcher(words))
        return lc_line_key_add(search, words);
    if (lc_path_find_program(path, sizeof(path), words[0], NULL) == 0)
        return file_add(search, path, words);
    search->is_missing = true;
    lc_store_key_add(search->key, "program", words[0]);
    lc_interpreter_key_add(search, words[0], words);
    lc_store_key_name(search->key, words[0]);
    return 0;
}

int lc_program_key_add(struct lc_key_search *search, char *const *words)
{
    int n;

    while ((n = lc_command_prefix(words, &search->assigned)) > 0)
        words += n;
    search->depth++;
    int rc = command_add(search, words);
    search->depth--;
    return rc;
}
