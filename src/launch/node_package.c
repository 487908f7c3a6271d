/* SPDX-License-Identifier: MIT */
/* node_package.c - programs that each node runs, brought there by the launcher itself */
#include "launch/node_package.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "node/arch.h"
#include "util/path.h"

#define LOADER LC_ARCH_LOADER

/* Bytes of the package in one word: the kernel limits a word to 128 KiB, and base64 adds a third.
 */
enum { PIECE = 90000 };
/* Open MPI hands the whole command line on in one such word: with the script and the user's options
 * a program of this size fits as it is. */
enum { LARGEST_PLAIN = 48000 };

static void base64_add(struct lc_buf *out, const unsigned char *in, size_t len)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < len; i += 3) {
        unsigned v = (unsigned)in[i] << 16 | (i + 1 < len ? (unsigned)in[i + 1] << 8 : 0) |
                     (i + 2 < len ? in[i + 2] : 0);
        lc_buf_putc(out, digit[v >> 18]);
        lc_buf_putc(out, digit[v >> 12 & 63]);
        lc_buf_putc(out, i + 1 < len ? digit[v >> 6 & 63] : '=');
        lc_buf_putc(out, i + 2 < len ? digit[v & 63] : '=');
    }
}

/* The number of words, then the words. */
static void package_add_words(struct lc_argv *out, const struct lc_buf *bytes)
{
    struct lc_buf text = {0};

    lc_argv_printf(out, "%zu", (bytes->len + PIECE - 1) / PIECE);
    for (size_t at = 0; at < bytes->len; at += PIECE) {
        lc_buf_clear(&text);
        base64_add(&text, (const unsigned char *)bytes->data + at,
                   bytes->len - at < PIECE ? bytes->len - at : PIECE);
        lc_argv_add(out, lc_buf_text(&text));
        out->failed |= text.failed;
    }
    lc_buf_free(&text);
}

static int stream_read(FILE *f, struct lc_buf *out)
{
    char piece[16384];
    size_t n;

    while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
        lc_buf_add(out, piece, n);
    return ferror(f) || out->failed ? -1 : 0;
}

static int package_read(const char *file, struct lc_buf *out, struct lc_error *err)
{
    FILE *f = fopen(file, "re");
    int rc = f ? stream_read(f, out) : -1;

    if (rc < 0)
        lc_error_errno(err, "cannot read '%s'; install Loadcast whole", file);
    if (f)
        fclose(f);
    return rc;
}

/* /bin/sh, started by the loader that this program runs under with the directory of its C library,
 * so that LD_LIBRARY_PATH is not searched for it. 'plain': by its name, for nodes that may lack
 * that loader. */
const char *lc_node_package_loader(void)
{
    const char *given = getenv("LOADCAST_LOADER");

    return given ? given : LOADER;
}

static void shell_add(struct lc_argv *out, bool plain)
{
    const char *loader = lc_node_package_loader();
    Dl_info libc;
    struct link_map *map = NULL;
    char *dir = NULL;

    if (!plain && dladdr1((void *)(uintptr_t)printf, &libc, (void **)&map, RTLD_DL_LINKMAP) &&
        libc.dli_fname && libc.dli_fname[0] == '/')
        dir = strndup(libc.dli_fname, lc_path_dir_len(libc.dli_fname));
    if (dir && access(loader, X_OK) == 0) {
        lc_argv_add(out, loader);
        lc_argv_add(out, "--library-path");
        lc_argv_add(out, dir);
    }
    free(dir);
    lc_argv_add(out, "/bin/sh");
    lc_argv_add(out, "-c");
}

/* The shell with a script that unpacks the package, and its first arguments. 'variables': settings
 * for the script, or "". 'bytes' may be NULL. */
static void unpacking_add(struct lc_argv *out, const char *script, const char *variables,
                          bool plain, const char *name, const char *dir, const char *file,
                          const struct lc_buf *bytes)
{
    struct utsname machine;

    uname(&machine);
    shell_add(out, plain);
    lc_argv_printf(out, "lc_arch=%s%s; %s", machine.machine, variables,
                   lc_embedded_text(lc_launch_scripts, script));
    lc_argv_add(out, name);
    lc_argv_add(out, dir);
    lc_argv_add(out, file);
    if (bytes)
        package_add_words(out, bytes);
    else
        lc_argv_add(out, "0");
}

int lc_node_package_add(struct lc_argv *out, enum lc_package_way way, bool plain,
                        const char *package, const char *dir, const char *program,
                        struct lc_error *err)
{
    struct lc_buf bytes = {0};
    const char *from = way == LC_PACKAGE_WORDS ? "-" : way == LC_PACKAGE_VARIABLES ? "+" : package;

    if (way == LC_PACKAGE_WORDS && package_read(package, &bytes, err) < 0)
        return -1;
    unpacking_add(out, "run_from_package.sh", "", plain, "loadcast", dir, from,
                  way == LC_PACKAGE_WORDS ? &bytes : NULL);
    lc_argv_add(out, program);
    lc_buf_free(&bytes);
    return 0;
}

int lc_node_package_variables(struct lc_argv *out, const char *package, struct lc_error *err)
{
    struct lc_buf bytes = {0};
    struct lc_argv words = {0};

    if (package_read(package, &bytes, err) < 0)
        return -1;
    package_add_words(&words, &bytes);
    for (size_t i = 0; i < words.count; i++)
        if (i == 0)
            lc_argv_printf(out, "LOADCAST_KITS=%s", words.item[i]);
        else
            lc_argv_printf(out, "LOADCAST_KIT%zu=%s", i, words.item[i]);
    out->failed |= words.failed;
    lc_argv_free(&words);
    lc_buf_free(&bytes);
    return 0;
}

/* As popen(), for a tool of this system: it needs no library that LD_LIBRARY_PATH leads to, and
 * must not search for one on the shared file system. */
static FILE *tool_open(const char *command)
{
    static const char *const names[] = {"LD_LIBRARY_PATH", "LD_PRELOAD"};
    char *value[] = {NULL, NULL};

    for (int i = 0; i < 2; i++) {
        const char *old = getenv(names[i]);
        value[i] = old ? strdup(old) : NULL;
        if (value[i])
            unsetenv(names[i]);
    }
    FILE *f = popen(command, "re");
    for (int i = 0; i < 2; i++) {
        if (value[i])
            setenv(names[i], value[i], 1);
        free(value[i]);
    }
    return f;
}

/* A package of one executable, by tar. */
static int program_pack(struct lc_buf *out, const char *executable, const char *program,
                        struct lc_error *err)
{
    struct lc_buf command = {0};
    size_t n = lc_path_dir_len(executable);
    char *where = n ? strndup(executable, n) : strdup(".");
    char *words[] = {
        (char *)"tar", (char *)"-C",          where, (char *)"-czf",
        (char *)"-",   (char *)"--transform", NULL,  (char *)(uintptr_t)lc_path_base(executable),
        NULL};
    char rename[128];

    snprintf(rename, sizeof(rename), "s,.*,%s,", program);
    words[6] = rename;
    lc_words_quote(&command, words);
    FILE *f = command.failed ? NULL : tool_open(lc_buf_text(&command));
    int rc = f ? stream_read(f, out) : -1;
    if (f && pclose(f) != 0)
        rc = -1;
    free(where);
    lc_buf_free(&command);
    return rc < 0 ? lc_error_set(err, "cannot pack '%s' with tar", executable) : 0;
}

/* A program as it is costs neither this machine nor the nodes tar and gzip, but the command line
 * has room for a small one only. */
int lc_node_package_add_program(struct lc_argv *out, bool plain, const char *executable,
                                const char *dir, const char *program, struct lc_error *err)
{
    struct lc_buf bytes = {0};
    char name[64] = "-";
    int rc = package_read(executable, &bytes, err);

    if (rc == 0 && bytes.len <= LARGEST_PLAIN) {
        snprintf(name, sizeof(name), "=%s", program);
    } else if (rc == 0) {
        lc_buf_clear(&bytes);
        rc = program_pack(&bytes, executable, program, err);
    }
    if (rc == 0) {
        unpacking_add(out, "run_from_package.sh", "", plain, "loadcast", dir, name, &bytes);
        lc_argv_add(out, program);
    }
    lc_buf_free(&bytes);
    return rc;
}

void lc_node_package_add_rank_prefix(struct lc_argv *out, bool plain, const char *node)
{
    shell_add(out, plain);
    lc_argv_add(out, lc_embedded_text(lc_launch_scripts, "rank_prefix.sh"));
    lc_argv_printf(out, "%s/bin/launch", node);
}

/* BOOT:PID:FD of this process. A shell that finds it in /proc is on the same machine. */
static void own_place_add(struct lc_argv *out, int fd)
{
    char boot[64] = "";
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (f && !fgets(boot, sizeof(boot), f))
        boot[0] = '\0';
    if (f)
        fclose(f);
    lc_argv_printf(out, "%.*s:%ld:%d", (int)strcspn(boot, "\n"), boot, (long)getpid(), fd);
}

void lc_node_package_add_watch_prefix(struct lc_argv *out, bool plain, const char *loadcast, int fd,
                                      long ranks, const char *how)
{
    struct stat st;

    shell_add(out, plain);
    lc_argv_add(out, lc_embedded_text(lc_launch_scripts, "watch_prefix.sh"));
    lc_argv_add(out, loadcast);
    lc_argv_printf(out, "%ld", ranks);
    lc_argv_printf(out, "%lu", stat(loadcast, &st) == 0 ? (unsigned long)st.st_uid : 0ul);
    own_place_add(out, fd);
    lc_argv_add(out, how);
}

int lc_node_package_add_self_staging(struct lc_argv *out, const struct lc_self_staging *how,
                                     struct lc_error *err)
{
    struct lc_buf bytes = {0};
    char name[4200];
    bool in_words = how->way == LC_PACKAGE_WORDS;

    if (in_words && package_read(how->package, &bytes, err) < 0)
        return -1;
    snprintf(name, sizeof(name), "%s/bin/launch", how->node);
    unpacking_add(out, "rank_self_staging.sh",
                  how->is_strict ? " lc_strict=1" : " lc_strict=", how->plain, name, how->dir,
                  in_words ? "-" : "+", in_words ? &bytes : NULL);
    lc_argv_printf(out, "%zu", how->words->count);
    lc_argv_add_all(out, how->words->item);
    lc_buf_free(&bytes);
    return 0;
}
