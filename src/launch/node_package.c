/* SPDX-License-Identifier: MIT */
/* node_package.c - what each node runs, brought there by the launcher itself */
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

#include "launch/kit_script.h"
#include "util/path.h"

#if defined(__x86_64__)
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define LOADER "/lib/ld-linux-aarch64.so.1"
#else
#define LOADER "" /* then the plain shell */
#endif

/* The kernel takes 128 KiB in one word. */
enum { PIECE = 90000 };

/* A node's own tools must not be looked for on the shared file system, where PATH and
 * LD_LIBRARY_PATH may lead first; stage-mpi gets the latter back if it cannot do without.
 * $1 DIR, $2 the kit's file, "-" if it is in words, "+" if in variables, $3 how many words after it
 * are the kit; $arch for which it was built. */
#define UNPACK                                                                                     \
    "umask 077; dir=$1 kit=$2 n=$3; shift 3\n"                                                     \
    "PATH=/usr/bin:/bin:$PATH L=${LD_LIBRARY_PATH-}; unset LD_LIBRARY_PATH; u=$(id "               \
    "-u)\n" LC_SH_WAY "unpack() { k=0; case $kit in\n"                                             \
    "-) for w do [ $k -lt $n ] || break; printf %s \"$w\"; k=$((k + 1)); done | base64 -d;;\n"     \
    "+) while [ $k -lt $LOADCAST_KITS ]; do k=$((k + 1)); eval \"printf %s "                       \
    "\\\"\\$LOADCAST_KIT$k\\\"\";"                                                                 \
    " done | base64 -d;;\n"                                                                        \
    "*) cat \"$kit\";; esac | tar xzf - -C \"$d\"; }\n"                                            \
    "try() { t=$1; case $no in *\"; $t: \"*) return 1;; esac; r=$(way \"$1\") || { no=\"$no; $t: " \
    "not there, or others can change it\"; "                                                       \
    "return "                                                                                      \
    "1; }; shift\n"                                                                                \
    "for o in \"$r\"/.loadcast-kit.$u.*; do p=${o##*/.loadcast-kit.$u.}; p=${p%%.*}\n"             \
    "[ ! -O \"$o\" ] || kill -0 \"$p\" 2>/dev/null || rm -rf \"$o\"; done\n"                       \
    "d=$(mktemp -d \"$r/.loadcast-kit.$u.$$.XXXXXX\" 2>/dev/null) || {"                            \
    " e=$(LC_ALL=C mkdir \"$r/.loadcast-kit.$u.$$.0\" 2>&1); no=\"$no; $t: ${e##*: }\"; return "   \
    "1; }\n"                                                                                       \
    "e=$( { LC_ALL=C; export LC_ALL; unpack \"$@\" && { [ ! -f \"$d/stager\" ] || \"$d/stager\" "  \
    "probe; } && { [ ! -f \"$d/stage-mpi\" ] || [ -x \"$d/stage-mpi\" ]; }; } 2>&1) && return\n"   \
    "case $e in *'No space left'* | *'quota exceeded'*) e='no room';;\n"                           \
    "'' | *'Permission denied'*) e='mounted noexec';;\n"                                           \
    "*GLIBC_*) e=\"this Loadcast needs a newer C library: GLIBC_${e##*GLIBC_}\";;\n"               \
    "*) e=${e##*: };; esac; no=\"$no; $t: $e\"; rm -rf \"$d\"; d=; return 1; }\n"                  \
    "is=$(uname -m); d= no=\n"                                                                     \
    "[ \"$is\" != \"$arch\" ] || try \"$dir\" \"$@\" || try /dev/shm \"$@\" ||"                    \
    " try \"${TMPDIR:-/tmp}\" \"$@\" || try /tmp \"$@\" || d=\n"                                   \
    "while [ $n -gt 0 ]; do shift; n=$((n - 1)); done\n"                                           \
    "k=${LOADCAST_KITS:-0}; unset LOADCAST_KITS; while [ $k -gt 0 ]; do unset LOADCAST_KIT$k;"     \
    " k=$((k - 1)); done\n"

static const char once[] =
    "read -r host </proc/sys/kernel/hostname && printf '@loadcast . %s\\n' \"$host\" ||"
    " printf '@loadcast .\\n'; c= d=\n"
    /* SIGKILL may be next: what lies in memory goes first. */
    "trap '[ -z \"$d\" ] || rm -rf \"$d\"; [ -n \"$c\" ] && kill -TERM $c 2>/dev/null || exit 143' "
    "TERM INT HUP\n" UNPACK
    "fail() { printf '@loadcast {\"ok\":false,\"boot\":false,\"error\":\"%s\",\"host\":\"%s\"}\\n' "
    "\"$1\" \"$(uname -n)\"; [ -z \"$d\" ] || rm -rf \"$d\"; exit 0; }\n"
    "[ \"$is\" = \"$arch\" ] || fail \"its architecture is $is, that of this Loadcast $arch\"\n"
    "[ -n \"$d\" ] || fail \"cannot run the stager: $(printf %s \"${no#; }\" | tr -d "
    "'\\n\\t\"\\\\')\"\n"
    "needs() { w=$(LD_TRACE_LOADED_OBJECTS=1 \"$d/$1\" 2>&1)\n"
    "case $w in *'not found'* | *'error while'*) return 1;; esac; }\n"
    "why() { echo \"$w\" | grep -e 'not found' -e 'error while' | head -n 1 | tr -d "
    "'\\n\\t\"\\\\'; }\n"
    "needs \"$1\" || { [ -z \"$L\" ] || export LD_LIBRARY_PATH=\"$L\"; needs \"$1\"; } ||\n"
    "fail \"cannot start $1: $(why)\"\n"
    "\"$d/$@\" & c=$!\n"
    "wait $c; s=$?; while kill -0 $c 2>/dev/null; do wait $c; s=$?; done\n"
    "rm -rf \"$d\"\n"
    "f=true; case $s in 137 | 143) f=false;; esac\n"
    "[ $s -le 128 ] || printf '@loadcast "
    "{\"ok\":false,\"crashed\":true,\"fault\":%s,\"error\":\"the "
    "stager was killed\",\"host\":\"%s\"}\\n' $f \"$(uname -n)\"\n"
    "exit 0\n";

static const char front[] =
    LC_SH_FRONT "if loadcast_find 2>/dev/null; then exec \"$loadcast_is\" \"$@\"; fi; exec \"$@\"";

/* $0 NODE/bin/launch; then as UNPACK; then ID and IMAGE. */
static const char self[] = LC_SH_FRONT
    "if loadcast_find 2>/dev/null; then k=$(($3 + 5)); while [ $k -gt 0 ]; do shift; k=$((k - 1)); "
    "done; exec \"$loadcast_is\" \"$@\"; fi; P=$PATH\n" UNPACK "id=$1 image=$2; shift 2\n"
    "[ -z \"$L\" ] || export LD_LIBRARY_PATH=\"$L\"; PATH=$P\n"
    "[ \"$is\" = \"$arch\" ] || [ \"${SLURM_LOCALID:-0}\" != 0 ] || echo \"loadcast: $(uname -n) "
    "runs "
    "without it: its architecture is $is, that of this Loadcast $arch\" >&2\n"
    "[ -n \"$d\" ] || exec \"$@\"\n"
    "exec \"$d/stager\" rank --dir \"$dir\" --id \"$id\" \"$image\" \"$@\"";

static void encode(struct lc_buf *out, const unsigned char *in, size_t len)
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

/* How many words, then the words. */
static void add_encoded(struct lc_argv *out, const struct lc_buf *bytes)
{
    struct lc_buf text = {0};

    lc_argv_printf(out, "%zu", (bytes->len + PIECE - 1) / PIECE);
    for (size_t at = 0; at < bytes->len; at += PIECE) {
        lc_buf_clear(&text);
        encode(&text, (const unsigned char *)bytes->data + at,
               bytes->len - at < PIECE ? bytes->len - at : PIECE);
        lc_argv_add(out, lc_buf_text(&text));
        out->failed |= text.failed;
    }
    lc_buf_free(&text);
}

static int read_stream(FILE *f, struct lc_buf *out)
{
    char piece[16384];
    size_t n;

    while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
        lc_buf_add(out, piece, n);
    return ferror(f) || out->failed ? -1 : 0;
}

static int read_kit(const char *kit, struct lc_buf *out, struct lc_error *err)
{
    FILE *f = fopen(kit, "re");
    int rc = f ? read_stream(f, out) : -1;

    if (rc < 0)
        lc_error_errno(err, "cannot read '%s'; install Loadcast whole", kit);
    if (f)
        fclose(f);
    return rc;
}

/* /bin/sh whose own C library is not searched for in LD_LIBRARY_PATH: the loader this program runs
 * under starts it with the directory of its own C library. Or the plain one, for nodes that may
 * have no such loader. */
static void add_shell(struct lc_argv *out, bool plain)
{
    const char *given = getenv("LOADCAST_LOADER"), *loader = given ? given : LOADER;
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

static void add_boot(struct lc_argv *out, const char *script, bool plain, const char *name,
                     const char *dir, const char *file, const struct lc_buf *bytes)
{
    struct utsname machine;

    uname(&machine);
    add_shell(out, plain);
    lc_argv_printf(out, "arch=%s\n%s", machine.machine, script);
    lc_argv_add(out, name);
    lc_argv_add(out, dir);
    lc_argv_add(out, file);
    if (bytes)
        add_encoded(out, bytes);
    else
        lc_argv_add(out, "0");
}

int lc_node_package_add(struct lc_argv *out, enum lc_package_way way, bool plain, const char *kit,
                        const char *dir, const char *program, struct lc_error *err)
{
    struct lc_buf bytes = {0};
    const char *from = way == LC_PACKAGE_WORDS ? "-" : way == LC_PACKAGE_VARIABLES ? "+" : kit;

    if (way == LC_PACKAGE_WORDS && read_kit(kit, &bytes, err) < 0)
        return -1;
    add_boot(out, once, plain, "loadcast", dir, from, way == LC_PACKAGE_WORDS ? &bytes : NULL);
    lc_argv_add(out, program);
    lc_buf_free(&bytes);
    return 0;
}

int lc_node_package_variables(struct lc_argv *out, const char *kit, struct lc_error *err)
{
    struct lc_buf bytes = {0};
    struct lc_argv words = {0};

    if (read_kit(kit, &bytes, err) < 0)
        return -1;
    add_encoded(&words, &bytes);
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

int lc_node_package_add_program(struct lc_argv *out, bool plain, const char *executable,
                                const char *dir, const char *program, struct lc_error *err)
{
    struct lc_buf command = {0}, bytes = {0};
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
    FILE *f = command.failed ? NULL : popen(lc_buf_text(&command), "re");
    int rc = f ? read_stream(f, &bytes) : -1;
    if (f && pclose(f) != 0)
        rc = -1;
    if (rc < 0)
        lc_error_set(err, "cannot pack '%s' with tar", executable);
    else
        add_boot(out, once, plain, "loadcast", dir, "-", &bytes);
    if (rc == 0)
        lc_argv_add(out, program);
    free(where);
    lc_buf_free(&command);
    lc_buf_free(&bytes);
    return rc;
}

void lc_node_package_add_rank_prefix(struct lc_argv *out, bool plain, const char *node)
{
    add_shell(out, plain);
    lc_argv_add(out, front);
    lc_argv_printf(out, "%s/bin/launch", node);
}

int lc_node_package_add_self_staging(struct lc_argv *out, const char *kit, const char *dir,
                                     const char *node, const char *id, const char *image,
                                     struct lc_error *err)
{
    struct lc_buf bytes = {0};
    char name[4200];

    if (read_kit(kit, &bytes, err) < 0)
        return -1;
    snprintf(name, sizeof(name), "%s/bin/launch", node);
    add_boot(out, self, true, name, dir, "-", &bytes);
    lc_argv_add(out, id);
    lc_argv_add(out, image);
    lc_buf_free(&bytes);
    return 0;
}
