/* SPDX-License-Identifier: MIT */
/* machine.c - can Loadcast do its work on this machine? */
#include "doctor/machine.h"

#include <stdarg.h>
#include <stdio.h>

#include "doctor/machine_private.h"

struct lc_finding *lc_machine_add(struct lc_machine_findings *machine, enum lc_finding_level level,
                                  const char *name, const char *format, ...)
{
    struct lc_finding *f = &machine->finding[machine->count];
    va_list args;

    *f = (struct lc_finding){.name = name, .level = level};
    if (level == LC_FINDING_OK)
        lc_finding_advise(f, "nothing to do");
    va_start(args, format);
    vsnprintf(f->text, sizeof(f->text), format, args);
    va_end(args);
    machine->count += machine->count + 1 < LC_FINDINGS;
    return f;
}

void lc_finding_advise(struct lc_finding *finding, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(finding->next, sizeof(finding->next), format, args);
    va_end(args);
}

const char *lc_finding_level_name(enum lc_finding_level level)
{
    static const char *const name[] = {"ok", "note", "problem"};

    return name[level];
}

void lc_machine_examine(struct lc_machine_findings *machine, const char *dir)
{
    *machine = (struct lc_machine_findings){.count = 0};
    lc_machine_check_memory(machine, dir);
    lc_machine_check_ptrace(machine);
    lc_machine_check_shims(machine); /* before PATH is changed for the launchers */
    lc_machine_check_launchers(machine);
    lc_machine_check_glibc(machine);
    lc_machine_check_python(machine);
    lc_machine_check_fuse(machine);
    lc_machine_check_store(machine);
    lc_machine_check_site(machine);
    for (size_t i = 0; i < machine->count; i++)
        machine->problems += machine->finding[i].level == LC_FINDING_PROBLEM;
}
