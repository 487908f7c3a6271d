/* SPDX-License-Identifier: MIT */
/* start_again.c - start a watched program once more, because it is not fit for our auditor.
 * Freestanding; see start_again.h */
#include "client/audit/start_again.h"

#include <linux/fcntl.h>
#include <linux/mman.h>
#include <stdint.h>

#include "client/audit/measure.h"
#include "image/bytes.h"
#include "node/audit_fit.h"
#include "node/call_lines.h"
#include "node/call_log.h"
#include "node/syscall.h"
#include "node/watched.h"

/* The kernel takes 6 MiB of arguments and environment at most. Only what is used becomes memory. */
enum { MOST_BYTES = 8 << 20, FIRST_WORDS = 3, PATH_BYTES = 4096 };

/* A file of NUL-terminated texts, and the list of them. */
struct texts {
    char **item;
    size_t count;
};

static void *room_map(size_t size)
{
    void *at =
        lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

    return lc_sys_is_error(at) ? NULL : at;
}

/* The bytes read; 0 if it cannot be read as a whole. */
static size_t file_read(const char *path, char *to)
{
    int fd = (int)lc_sys_open(path, O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    long n = -1;

    while (fd >= 0 && len < MOST_BYTES && (n = lc_sys_read(fd, to + len, MOST_BYTES - len)) > 0)
        len += (size_t)n;
    if (fd >= 0)
        lc_sys_close(fd);
    return n == 0 && len > 0 && !to[len - 1] ? len : 0;
}

/* 'before' places stay free at the beginning of the list. */
static bool texts_read(struct texts *out, const char *path, size_t before)
{
    char *bytes = room_map(MOST_BYTES);
    size_t len = bytes ? file_read(path, bytes) : 0;

    out->count = before;
    for (size_t i = 0; i < len; i++)
        out->count += !bytes[i];
    out->item = len ? room_map((out->count + 1) * sizeof(char *)) : NULL;
    if (!out->item)
        return false;
    for (size_t i = before; i < out->count; i++) {
        out->item[i] = bytes;
        bytes += lc_bytes_length(bytes) + 1;
    }
    return true;
}

/* The user's own environment: see node/watched.h. */
static void environment_restore(struct texts *env)
{
    static const char was[] = LC_WATCHED_WAS;
    bool is_ours = false;
    size_t kept = 0;

    for (size_t i = 0; i < env->count; i++) {
        char *text = env->item[i];
        is_ours |= lc_fit_value(text, LC_WATCHED_VARIABLE) != NULL;
        if (!is_ours)
            env->item[kept++] =
                text + (lc_bytes_compare(was, text, sizeof(was) - 1) == 0 ? sizeof(was) - 1 : 0);
        is_ours &= !lc_fit_value(text, LC_WATCHED_LAST);
    }
    env->item[kept] = NULL;
}

static size_t number_read(const char **text)
{
    size_t n = 0;

    for (; **text >= '0' && **text <= '9' && n < PTRDIFF_MAX / 16; ++*text)
        n = 10 * n + (size_t)(**text - '0');
    return n;
}

/* How many words the user's line has. 0: this is not the process that was started for it, but one
 * that has inherited its environment. */
static size_t line_words(const char *again)
{
    size_t words = number_read(&again);
    const char *pid = again + 1;

    return *again == ':' && number_read(&pid) == (size_t)LC_SYS3(__NR_getpid, 0, 0, 0) ? words : 0;
}

/* The words of the user's line are the last ones: before them the kernel puts the interpreter of a
 * script. */
static char **line_compose(struct texts *words, const char *loadcast, const char *how, size_t line)
{
    size_t first = words->count - line;

    if (!loadcast || !how || line + FIRST_WORDS > words->count)
        return NULL;
    char **out = words->item + first - FIRST_WORDS;
    out[0] = (char *)(uintptr_t)loadcast;
    out[1] = (char *)(uintptr_t)LC_WATCHED_RANK;
    out[2] = (char *)(uintptr_t)how;
    return out;
}

/* The watcher finds no log then, and ends; the next one is started with the program. */
static void log_remove(const char *log)
{
    static const char suffix[] = LC_CALL_LINES;
    char lines[PATH_BYTES];
    size_t n = lc_bytes_length(log);

    LC_SYS3(__NR_unlinkat, LC_AT_FDCWD, log, 0);
    if (n + sizeof(suffix) > sizeof(lines))
        return;
    lc_bytes_move(lines, log, n);
    lc_bytes_move(lines + n, suffix, sizeof(suffix));
    LC_SYS3(__NR_unlinkat, LC_AT_FDCWD, lines, 0);
}

/* A constructor of a library may start programs while the environment still has our variables:
 * such a program is 'file' with the words it has, and starts as without us. */
static void start_again(const char *file)
{
    struct texts env, words;

    if (!texts_read(&env, "/proc/self/environ", 0) ||
        !texts_read(&words, "/proc/self/cmdline", FIRST_WORDS))
        return;
    const char *loadcast = lc_fit_variable(env.item, LC_WATCHED_AGAIN),
               *how = lc_fit_variable(env.item, LC_WATCHED_AGAIN_HOW),
               *again = lc_fit_variable(env.item, LC_WATCHED_AGAIN_WORDS),
               *log = lc_fit_variable(env.item, LC_PILOT_VARIABLE);
    size_t count = again ? line_words(again) : 0;
    char **line = count ? line_compose(&words, loadcast, how, count) : words.item + FIRST_WORDS;

    if (!line || !log)
        return;
    environment_restore(&env);
    if (count)
        log_remove(log);
    LC_SYS3(__NR_execve, count ? loadcast : file, line, env.item);
}

/* The version of the C library is known when that is loaded. Before, only what no version can take
 * is judged. */
static bool is_fit_so_far(const struct lc_preflight *seen)
{
    return seen->glibc ? lc_preflight_is_fit(seen)
                       : !seen->has_asan && seen->tls_bytes <= LC_FIT_FREE;
}

void lc_start_check_object(struct lc_start_check *check, const struct link_map *map,
                           const struct lc_key *key)
{
    struct lc_preflight_object o;
    bool is_program = !check->has_program;

    check->has_program = true; /* it comes first */
    if (!check->is_wanted || !lc_measure_take(&o, map, is_program, key))
        return;
    lc_preflight_count(&check->seen, &o);
    if (is_fit_so_far(&check->seen))
        return;
    check->is_wanted = false;
    start_again(key->executable);
}

void lc_start_check_end(struct lc_start_check *check)
{
    if (check->has_program)
        check->is_wanted = false;
}
