/* SPDX-License-Identifier: MIT */
/* unused_image.c - notices an image that was staged and that no process used, and tells the likely
 * reason */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "image/hash.h"
#include "launch/job_run.h"
#include "stage/counters.h"
#include "stage/nodedir.h"
#include "store/facts.h"

static const char *unused_reason(const struct lc_job_run *run, int status)
{
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return "the line failed, perhaps before it started any";
    if (run->line.drops_environment && !run->has_prefix)
        return "the line drops the environment";
    if (run->line.launcher == LC_LAUNCHER_NONE)
        return "it runs elsewhere, or starts its program by a launcher that 'loadcast run' does "
               "not "
               "see; put 'loadcast run --' before that";
    return "the program is static, setuid or in a container, clears its environment, or did not "
           "start; try --wrap always";
}

/* Name the fact that a line like this one has used this image. */
static void used_name(const struct lc_job_run *run, char out[LC_FACT_NAME])
{
    struct lc_buf key = {0};

    lc_buf_printf(&key, "%016" PRIx64 " %d %d %d", lc_job_run_image_id(run),
                  (int)run->line.launcher, run->has_prefix, run->line.drops_environment);
    for (int i = 0; i < run->line.programs; i++)
        lc_buf_printf(&key, "\n%s", run->argv[run->line.program[i]]);
    snprintf(out, LC_FACT_NAME, "used-%016" PRIx64,
             lc_hash(lc_buf_text(&key), strlen(lc_buf_text(&key))));
    lc_buf_free(&key);
}

/* Has an earlier line like this one used the image as it is now? Looked up once. */
static bool was_used(struct lc_job_run *run)
{
    char name[LC_FACT_NAME], known[8];

    if (!run->knows_used) {
        used_name(run, name);
        run->was_used = lc_store_fact_read(name, known, sizeof(known));
        run->knows_used = true;
    }
    return run->was_used;
}

static void use_note(struct lc_job_run *run)
{
    char name[LC_FACT_NAME];

    used_name(run, name);
    lc_store_fact_write(name, "yes");
    lc_job_run_note_misses(run);
}

bool lc_job_run_is_unused(struct lc_job_run *run, const struct lc_staging_report *end, int status,
                          struct lc_error *out)
{
    const json_t *node;
    size_t i, told = 0;
    uint64_t processes = 0;

    json_array_foreach(end->nodes, i, node)
    {
        told += json_object_get(node, "processes") != NULL;
        processes += (uint64_t)json_integer_value(json_object_get(node, "processes"));
    }
    if (processes > 0 && !was_used(run))
        use_note(run);
    if (told == 0 || told < json_array_size(end->nodes) || processes > 0)
        return false;
    lc_error_set(out, "no process used the image on %zu node%s: %s", told, told == 1 ? "" : "s",
                 unused_reason(run, status));
    return true;
}

struct use_here {
    char name[LC_NODEDIR_NAME];
    uint64_t processes;
};

static void use_here_count(void *arg, int user, const char *user_path)
{
    struct use_here *here = arg;
    struct lc_nodedir node;
    struct lc_error ignored;

    if (lc_nodedir_open(&node, user, user_path, here->name, &ignored) < 0)
        return;
    here->processes += lc_live_read(node.live).count[LC_COUNT_PROCESSES];
    lc_nodedir_close(&node);
}

bool lc_job_run_may_be_unused(struct lc_job_run *run)
{
    struct use_here here = {.processes = 0};

    if (run->staged.fresh == 0 || was_used(run))
        return false;
    lc_nodedir_name(here.name, run->staging.id, false);
    lc_nodedir_each_user(run->staging.dir, use_here_count, NULL, &here);
    return here.processes == 0;
}
