/* SPDX-License-Identifier: MIT */
/* fit_child.c - can a program that the pilot's program starts have Loadcast's objects?
 *
 * The new program's environment is changed in place and keeps its length: a variable to be removed
 * gets a lower-case name, which nobody reads, and removed list items are overwritten by colons. So
 * /proc/PID/environ, which sanitizers read, stays consistent. */
#include "record/fit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/audit_fit.h"
#include "node/file_kind.h"
#include "node/tls_room.h"
#include "record/pilot.h"
#include "trace/new_environment.h"

static bool is_ours(const struct lc_pilot *pilot, const char *item, size_t n)
{
    const char *const ours[] = {pilot->audit, pilot->capture, pilot->preload, pilot->notes};

    for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
        if (n > 0 && strlen(ours[i]) == n && memcmp(ours[i], item, n) == 0)
            return true;
    return false;
}

static bool is_object_list(const char *variable)
{
    return lc_fit_value(variable, "LD_AUDIT") || lc_fit_value(variable, "LD_PRELOAD");
}

/* Overwrites our items of "NAME=list" by colons. Returns the number of bytes of the other items. */
static size_t list_erase_ours(const struct lc_pilot *pilot, char *variable)
{
    char *list = strchr(variable, '=') + 1;
    size_t others = 0;

    for (size_t n; *list; list += n + (list[n] != '\0')) {
        n = strcspn(list, ": ");
        if (is_ours(pilot, list, n))
            memset(list, ':', n);
        else
            others += n;
    }
    return others;
}

static void rename_variable(struct lc_new_environment *env, size_t at)
{
    char *text = strdup(env->text[at]);

    for (char *c = text; c && *c && *c != '='; c++)
        *c = (char)tolower((unsigned char)*c);
    if (text)
        lc_new_environment_overwrite(env, at, text);
    free(text);
}

static void strip_variable(const struct lc_pilot *pilot, struct lc_new_environment *env, size_t at)
{
    char *text = strdup(env->text[at]);

    if (!text)
        return;
    if (list_erase_ours(pilot, text) == 0)
        rename_variable(env, at);
    else
        lc_new_environment_overwrite(env, at, text);
    free(text);
}

static size_t find_variable(const struct lc_new_environment *env, const char *name)
{
    size_t i = 0;

    while (i < env->count && !lc_fit_value(env->text[i], name))
        i++;
    return i;
}

/* Turns off AddressSanitizer's leak check: it uses ptrace, which the recording already does. The
 * options take the place of the removed LD_AUDIT; colons at their end are ignored. */
static void disable_leak_check(struct lc_new_environment *env)
{
    size_t place = find_variable(env, "ld_audit"), old = find_variable(env, "ASAN_OPTIONS");
    size_t room = place < env->count ? strlen(env->text[place]) : 0;
    char *text = malloc(room + 1);

    if (!text || room == 0)
        goto out;
    const char *before = old < env->count ? lc_fit_value(env->text[old], "ASAN_OPTIONS") : "";
    int n = snprintf(text, room + 1, "ASAN_OPTIONS=%s:detect_leaks=0", before);
    if (n < 0 || (size_t)n > room)
        goto out;
    memset(text + n, ':', room - (size_t)n);
    text[room] = '\0';
    if (old < env->count)
        rename_variable(env, old);
    lc_new_environment_overwrite(env, place, text);
out:
    free(text);
}

static void strip_ours(const struct lc_pilot *pilot, struct lc_new_environment *env)
{
    for (size_t i = 0; i < env->count; i++)
        if (is_object_list(env->text[i]))
            strip_variable(pilot, env, i);
}

static void set_tls_room(struct lc_new_environment *env, const struct lc_fit *fit)
{
    size_t at = find_variable(env, "GLIBC_TUNABLES");
    const char *old = at < env->count ? lc_fit_value(env->text[at], "GLIBC_TUNABLES") : NULL;
    struct lc_fit_room room = lc_fit_room(old);
    uint64_t wanted = lc_fit_wanted(fit, 0, room.users);
    char *text = wanted != room.ours ? malloc(lc_tls_room_size(old)) : NULL;

    if (!text)
        return;
    lc_tls_room_text(text, old, wanted);
    lc_new_environment_put(env, at, text);
    free(text);
}

/* What the program's libraries need; measured once per program and environment. */
static struct lc_fit fit_of_program(const struct lc_pilot *pilot,
                                    const struct lc_new_environment *env, const char *file)
{
    static struct lc_fit_slot known[LC_FITS];
    uint64_t key = lc_fit_key(file, env->text);
    struct lc_fit fit = lc_fit_find(known, key);

    if (fit.kind != LC_FIT_UNKNOWN)
        return fit;
    fit = lc_record_fit_measure(file, env->text, pilot->audit);
    lc_fit_put(known, key, &fit);
    return fit;
}

static bool has_ours(const struct lc_pilot *pilot, const struct lc_new_environment *env)
{
    for (size_t i = 0; i < env->count; i++) {
        const char *list = is_object_list(env->text[i]) ? strchr(env->text[i], '=') + 1 : "";
        for (size_t n; *list; list += n + (list[n] != '\0')) {
            n = strcspn(list, ": ");
            if (is_ours(pilot, list, n))
                return true;
        }
    }
    return false;
}

static void fit_program(struct lc_pilot *pilot, struct lc_new_environment *env, const char *file)
{
    struct lc_script script;
    enum lc_program_kind kind = lc_program_kind(file, &script);
    struct lc_fit fit = {LC_FIT_NOTHING, 0, 0};

    if (kind == LC_PROGRAM_DYNAMIC && pilot->audit[0])
        fit = fit_of_program(pilot, env, file);
    else if (kind != LC_PROGRAM_FOREIGN)
        return;
    if (fit.kind == LC_FIT_YES) {
        lc_seen_add_tls(pilot->seen, fit.tls_bytes);
        set_tls_room(env, &fit);
        return;
    }
    strip_ours(pilot, env);
    if (kind == LC_PROGRAM_DYNAMIC)
        disable_leak_check(env);
}

void lc_record_fit_child(struct lc_pilot *pilot, pid_t tid)
{
    struct lc_new_environment env;
    char file[48];

    snprintf(file, sizeof(file), "/proc/%d/exe", (int)tid);
    if (lc_new_environment_read(&env, tid) < 0)
        return;
    if (has_ours(pilot, &env))
        fit_program(pilot, &env, file);
    lc_new_environment_free(&env);
}
