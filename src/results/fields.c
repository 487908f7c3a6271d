/* SPDX-License-Identifier: MIT */
/* fields.c - names and offsets of a run's text members */
#include "results/fields.h"

#include "results/run.h"

#define KEY(NAME, MEMBER)                         \
    {                                             \
        NAME, offsetof(struct lc_run_key, MEMBER) \
    }
#define PLACE(MEMBER)                                  \
    {                                                  \
#MEMBER, offsetof(struct lc_run_place, MEMBER) \
    }

const struct lc_field lc_key_fields[] = {
    KEY("suite", suite), KEY("case", name),   KEY("mode", mode), KEY("target", target),
    KEY("with", with),   KEY("cache", cache), KEY("how", how),   {0},
};

const struct lc_field lc_place_fields[] = {
    PLACE(host),     PLACE(cpu),        PLACE(kernel), PLACE(fs_type), PLACE(fs_options),
    PLACE(launcher), PLACE(mpi),        PLACE(python), PLACE(glibc),   PLACE(version),
    PLACE(job),      PLACE(suite_text), {0},
};
