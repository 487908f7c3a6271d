/* SPDX-License-Identifier: MIT */
/* record_pilot.c - run the pilot, and once more where its first run could not be recorded as meant
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/record.h"
#include "node/bindings_log.h"

/* All symbols were bound at once, which some libraries do not survive: what could not be opened
 * because of it would be missing in the image. */
static bool must_run_again(struct lc_pilot *pilot)
{
    struct lc_error err;
    const struct lc_trace_outcome *o = &pilot->outcome;

    if (lc_pilot_take_bindings(pilot, &err) < 0)
        lc_record_say("%s; the image will have none", err.text);
    if (!pilot->is_unresolved)
        return false;
    if (!o->is_running && !o->was_ended && o->status != 0) {
        lc_record_say(
            "symbols are missing that are only bound when they are called; running the program "
            "again, without recording bindings");
        return true;
    }
    lc_record_say(
        "a library could not be opened with all its symbols bound at once, so bindings were not "
        "recorded; if something is missing in the image, record with --no-bindings");
    return false;
}

/* What a second run must find as the first did, and who compiles modules as the user has it. */
struct before {
    char *audit, *preload, *tunables;
};

static char *keep(const char *name)
{
    const char *value = getenv(name);

    return value ? strdup(value) : NULL;
}

static void put_back(const char *name, const char *value)
{
    value ? setenv(name, value, 1) : unsetenv(name);
}

static struct before keep_environment(void)
{
    return (struct before){keep("LD_AUDIT"), keep("LD_PRELOAD"), keep("GLIBC_TUNABLES")};
}

static void restore_environment(const struct before *before)
{
    put_back("LD_AUDIT", before->audit);
    put_back("LD_PRELOAD", before->preload);
    put_back("GLIBC_TUNABLES", before->tunables);
    unsetenv(LC_BIND_LOG_VARIABLE);
}

static void begin_again(struct lc_pilot *pilot, const struct before *before)
{
    restore_environment(before);
    lc_pilot_clear(pilot);
    pilot->no_bindings = true;
    pilot->is_unresolved = false;
    pilot->capture[0] = pilot->preload[0] = '\0';
}

static void say_inside(void)
{
    lc_record_say(
        "recording through the client (LD_AUDIT, LD_PRELOAD) instead of ptrace; not seen: what "
        "static and set-user-ID programs ask, programs started with an environment of their own, "
        "and system calls made without libc; symbol bindings are not recorded");
}

int lc_record_run_pilot(struct lc_pilot *pilot, struct lc_error *err)
{
    struct before before = keep_environment();

    if (pilot->no_ptrace)
        say_inside();
    int rc = lc_pilot_run(pilot, err);
    if (rc < 0 && errno == EPERM && !pilot->no_ptrace) {
        lc_record_say("%s", err->text);
        say_inside();
        begin_again(pilot, &before);
        pilot->no_ptrace = true;
        rc = lc_pilot_run(pilot, err);
    } else if (rc == 0 && must_run_again(pilot)) {
        lc_pilot_take_searches(pilot);
        begin_again(pilot, &before);
        rc = lc_pilot_run(pilot, err);
    }
    if (pilot->why_no_objects)
        lc_record_say("'%s' ran without our auditor: %s; library searches and symbol bindings are "
                      "not recorded",
                      pilot->argv[0], pilot->why_no_objects);
    restore_environment(&before);
    free(before.audit);
    free(before.preload);
    free(before.tunables);
    return rc;
}
