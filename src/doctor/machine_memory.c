/* SPDX-License-Identifier: MIT */
/* machine_memory.c - where would images be staged, and how much fits? */
#include <stdint.h>
#include <string.h>
#include <sys/statvfs.h>

#include "doctor/machine_private.h"
#include "stage/place.h"
#include "stage/space.h"
#include "util/human.h"

/* An image of numpy and its libraries takes 60 MB, one of a large application some 500 MB. */
enum { SMALL_BYTES = 200000000 };

static void place_tell(struct lc_machine_findings *m, const struct lc_stage_place *place)
{
    struct statvfs vfs;

    if (statvfs(place->path, &vfs) < 0) {
        lc_machine_add(m, LC_FINDING_PROBLEM, "node memory", "cannot ask '%s'", place->path);
        return;
    }
    struct lc_space room = lc_space_ask(&vfs, place->is_memory);
    struct lc_finding *f = lc_machine_add(
        m, room.bytes < SMALL_BYTES || !place->is_memory ? LC_FINDING_NOTE : LC_FINDING_OK,
        "node memory", "images are staged in '%s' (%s): %s may be taken (%s)", place->path,
        place->is_memory ? "memory" : "a local disk", lc_human_bytes(room.bytes).s, room.limit);
    if (room.bytes < SMALL_BYTES)
        lc_finding_advise(f, "ask for more memory per node, or name a larger directory: --dir or "
                             "LOADCAST_DIR");
    else if (!place->is_memory)
        lc_finding_advise(f, "nothing, if a disk is fast enough; memory is used where /dev/shm can "
                             "be");
}

/* One is tried after the other; tell why earlier ones are passed over. */
static void refused_tell(struct lc_machine_findings *m, const struct lc_stage_place *place)
{
    struct lc_finding *f =
        lc_machine_add(m, LC_FINDING_NOTE, "node memory", "not usable: %s", place->why.text);

    lc_finding_advise(f, "nothing, if the directory that is used instead will do");
}

static void no_exec_tell(struct lc_machine_findings *m, const struct lc_stage_place *place,
                         bool is_chosen)
{
    struct lc_finding *f = lc_machine_add(
        m, is_chosen ? LC_FINDING_PROBLEM : LC_FINDING_NOTE, "noexec", "'%s' is mounted noexec%s",
        place->path,
        is_chosen ? ", and there is no other: programs and libraries are not served" : "");

    lc_finding_advise(f,
                      "set LOADCAST_DIR to a local directory that is mounted exec, or have it "
                      "remounted: mount -o remount,exec %s",
                      place->path);
}

static void cgroup_tell(struct lc_machine_findings *m)
{
    uint64_t limit, left = lc_space_cgroup("", &limit);

    if (left == UINT64_MAX) {
        lc_machine_add(m, LC_FINDING_OK, "memory limit", "no cgroup limits the memory here");
        return;
    }
    struct lc_finding *f = lc_machine_add(
        m, left < 2 * (uint64_t)SMALL_BYTES ? LC_FINDING_NOTE : LC_FINDING_OK, "memory limit",
        "%s of the cgroup's %s are left; an image takes at most half of it", lc_human_bytes(left).s,
        lc_human_bytes(limit).s);
    if (f->level != LC_FINDING_OK)
        lc_finding_advise(f, "ask for more memory, with Slurm: --mem");
}

void lc_machine_check_memory(struct lc_machine_findings *m, const char *dir)
{
    const struct lc_stage_place *chosen = NULL;
    struct lc_stage_places all;

    lc_stage_places_begin(&all, dir, false);
    for (struct lc_stage_place *place; (place = lc_stage_places_next(&all));)
        if (!chosen && place->usable)
            chosen = place;
    for (int i = 0; i < all.count && &all.place[i] != chosen; i++)
        if (!all.place[i].usable)
            refused_tell(m, &all.place[i]);
        else if (all.place[i].no_exec)
            no_exec_tell(m, &all.place[i], false);
    if (chosen) {
        place_tell(m, chosen);
        if (chosen->no_exec)
            no_exec_tell(m, chosen, true);
        else
            lc_machine_add(m, LC_FINDING_OK, "noexec",
                           "'%s' is mounted exec: programs and libraries are served", chosen->path);
    } else {
        struct lc_finding *f = lc_machine_add(m, LC_FINDING_PROBLEM, "node memory",
                                              "no directory can hold staged images");
        lc_finding_advise(f, "set LOADCAST_DIR to a local directory that you may write to");
    }
    lc_stage_places_end(&all);
    cgroup_tell(m);
}
