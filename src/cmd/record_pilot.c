/* SPDX-License-Identifier: MIT */
/* record_pilot.c - run the pilot, and run it once more if its first run could not be recorded as
 * intended */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/record.h"
#include "node/bindings_log.h"
#include "node/call_log.h"

/* For recording bindings all symbols were bound at once, which some libraries do not support.
 * Objects that could not be opened for this reason would be missing in the image. */
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

/* Variables that the pilot changes. They are restored for a second run, and for the interpreter
 * that compiles modules afterwards. */
struct saved_variables {
    char *audit, *preload, *tunables;
};

static char *variable_copy(const char *name)
{
    const char *value = getenv(name);

    return value ? strdup(value) : NULL;
}

static void variable_restore(const char *name, const char *value)
{
    value ? setenv(name, value, 1) : unsetenv(name);
}

static struct saved_variables environment_copy(void)
{
    return (struct saved_variables){variable_copy("LD_AUDIT"), variable_copy("LD_PRELOAD"),
                                    variable_copy("GLIBC_TUNABLES")};
}

static void environment_restore(const struct saved_variables *before)
{
    variable_restore("LD_AUDIT", before->audit);
    variable_restore("LD_PRELOAD", before->preload);
    variable_restore("GLIBC_TUNABLES", before->tunables);
    unsetenv(LC_BIND_LOG_VARIABLE);
    unsetenv(LC_PILOT_IMPORTS_VARIABLE);
}

static void pilot_reset(struct lc_pilot *pilot, const struct saved_variables *before)
{
    environment_restore(before);
    lc_pilot_clear(pilot);
    pilot->is_unresolved = false;
    pilot->capture[0] = pilot->preload[0] = '\0';
}

static void inside_mode_print(void)
{
    lc_record_say(
        "recording through the client (LD_AUDIT, LD_PRELOAD) instead of ptrace; not seen: what "
        "static and set-user-ID programs ask, programs started with an environment of their own, "
        "and system calls made without libc");
}

int lc_record_run_pilot(struct lc_pilot *pilot, struct lc_error *err)
{
    struct saved_variables before = environment_copy();

    if (pilot->no_ptrace)
        inside_mode_print();
    int rc = lc_pilot_run(pilot, err);
    if (rc < 0 && errno == EPERM && !pilot->no_ptrace) {
        lc_record_say("%s", err->text);
        inside_mode_print();
        pilot_reset(pilot, &before);
        pilot->no_ptrace = true;
        rc = lc_pilot_run(pilot, err);
    }
    if (rc == 0 && must_run_again(pilot)) {
        lc_pilot_take_searches(pilot);
        pilot_reset(pilot, &before);
        pilot->no_bindings = true;
        rc = lc_pilot_run(pilot, err);
    }
    if (pilot->why_no_objects)
        lc_record_say("'%s' ran without our auditor: %s; library searches and symbol bindings are "
                      "not recorded",
                      pilot->argv[0], pilot->why_no_objects);
    environment_restore(&before);
    free(before.audit);
    free(before.preload);
    free(before.tunables);
    return rc;
}
