/* SPDX-License-Identifier: MIT */
/* fit.c - can the pilot's program start with Loadcast's audit and preload objects? */
#include "record/fit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "node/audit_fit.h"
#include "node/file_kind.h"
#include "node/glibc_versions.h"
#include "node/preflight.h"

enum { MOST_SCRIPTS = 5, MOST_TUNABLES = 4096 };

extern char **environ;

static bool find_program(const char *name, char out[PATH_MAX])
{
    const char *path = getenv("PATH");

    if (strchr(name, '/'))
        return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX;
    for (const char *dir = path ? path : "/bin:/usr/bin", *end;; dir = end + 1) {
        end = strchrnul(dir, ':');
        int n =
            snprintf(out, PATH_MAX, "%.*s%s%s", (int)(end - dir), dir, end > dir ? "/" : "", name);
        if (n < PATH_MAX && access(out, X_OK) == 0)
            return true;
        if (!*end)
            return false;
    }
}

/* The kind of a program. For a script 'path' becomes its interpreter's. */
static enum lc_program_kind program_kind_resolve(char path[PATH_MAX], bool *is_privileged)
{
    bool has_rights;
    struct lc_script script;
    enum lc_program_kind kind = LC_PROGRAM_SCRIPT;

    for (int i = 0; kind == LC_PROGRAM_SCRIPT && i < MOST_SCRIPTS; i++) {
        kind = lc_program_kind_and_rights(path, &script, &has_rights);
        *is_privileged |= has_rights;
        if (kind == LC_PROGRAM_SCRIPT)
            snprintf(path, PATH_MAX, "%s", script.interpreter);
    }
    return kind;
}

/* Does AddressSanitizer insist on being loaded first? */
static bool asan_checks_link_order(void)
{
    const char *options = getenv("ASAN_OPTIONS");

    return !options || !strstr(options, "verify_asan_link_order=0");
}

/* Turns off AddressSanitizer's leak check: it uses ptrace, which the recording already does. */
static void disable_leak_check(void)
{
    const char *before = getenv("ASAN_OPTIONS");
    char text[MOST_TUNABLES];

    if (snprintf(text, sizeof(text), "%s%sdetect_leaks=0", before ? before : "",
                 before && *before ? ":" : "") < (int)sizeof(text))
        setenv("ASAN_OPTIONS", text, 1);
}

/* Why the program cannot start with an auditor; NULL: it can. */
static const char *why_no_auditor(const struct lc_preflight *seen)
{
    if (seen->has_failed && !seen->has_tunable && seen->tls_bytes > lc_fit_free(seen->glibc))
        return "its thread variables (static TLS) do not fit beside an auditor";
    if (lc_glibc_audit_is_harmful(seen->glibc))
        return "glibc before 2.35 on aarch64: with an auditor, calls lose registers (glibc bug "
               "26643)";
    if (seen->tls_objects > LC_GLIBC_SAFE_TLS_OBJECTS && seen->glibc > LC_GLIBC_DTV_HIGHEST)
        return "more than 14 libraries with thread variables, and a glibc newer than those this "
               "Loadcast was tested with";
    return NULL;
}

static uint32_t tls_bytes_wanted(const struct lc_preflight *seen)
{
    uint64_t bytes =
        seen->has_tunable && seen->tls_bytes > lc_fit_free(seen->glibc) ? seen->tls_bytes : 0;

    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

static void fit_measure(struct lc_record_fit *fit, const char *path, const char *audit)
{
    struct lc_preflight seen;

    fit->is_measured = lc_preflight_run(&seen, path, environ, audit);
    if (!fit->is_measured)
        return;
    if (seen.has_asan)
        disable_leak_check();
    if (seen.has_asan && asan_checks_link_order())
        fit->why_not = "it is built with AddressSanitizer, whose runtime must come first";
    else
        fit->why_not = why_no_auditor(&seen);
    struct lc_fit room = {LC_FIT_YES, fit->why_not ? 0 : tls_bytes_wanted(&seen), 0};
    fit->tls_bytes = room.tls_bytes;
    fit->tls_room = lc_fit_wanted(&room, 0, lc_fit_room(getenv("GLIBC_TUNABLES")).users);
}

struct lc_fit lc_record_fit_measure(const char *file, char *const *env, const char *audit)
{
    struct lc_fit fit = {LC_FIT_YES, 0, 0};
    struct lc_preflight seen;

    if (!lc_preflight_run(&seen, file, env, audit))
        return fit;
    if (seen.has_asan || why_no_auditor(&seen))
        fit.kind = LC_FIT_NOTHING;
    else
        fit.tls_bytes = tls_bytes_wanted(&seen);
    return fit;
}

struct lc_record_fit lc_record_fit(const char *name, const char *audit)
{
    struct lc_record_fit fit = {0};
    char path[PATH_MAX];

    if (!find_program(name, path))
        return fit;
    enum lc_program_kind kind = program_kind_resolve(path, &fit.is_privileged);
    fit.is_dynamic = kind == LC_PROGRAM_DYNAMIC;
    if (kind == LC_PROGRAM_FOREIGN)
        fit.why_not = "it is not a 64-bit program of glibc for this machine";
    else if (fit.is_dynamic && audit && audit[0])
        fit_measure(&fit, path, audit);
    return fit;
}

void lc_record_fit_set(const struct lc_record_fit *fit)
{
    const char *before = getenv("GLIBC_TUNABLES");
    char text[MOST_TUNABLES];

    if (!fit->tls_room)
        return;
    int n = snprintf(text, sizeof(text), "%s%s%s=0x%0*llx", before ? before : "",
                     before && *before ? ":" : "", LC_TLS_TUNABLE, LC_FIT_DIGITS,
                     (unsigned long long)fit->tls_room);
    if (n < (int)sizeof(text))
        setenv("GLIBC_TUNABLES", text, 1);
}
