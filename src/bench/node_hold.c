/* SPDX-License-Identifier: MIT */
/* node_hold.c - start the processes that hold something on the nodes of a job, and end them */
#include "bench/node_hold.h"

#include <string.h>

#include "bench/programs.h"
#include "launch/compose.h"

int lc_node_words(const struct lc_arm_job *job, struct lc_argv *out, struct lc_error *err)
{
    struct lc_launch_line parsed;
    struct lc_argv line = {0};
    int rc = lc_arm_job_line(job, "true", &line, err);

    if (rc == 0 && line.count > 0) {
        lc_launch_line_parse(&parsed, line.item, NULL);
        rc = lc_compose_per_node(&parsed, out, err);
    }
    lc_argv_free(&line);
    return rc;
}

/* "1" on this node alone; "?": the launcher tells each process how many there are. */
static void words_add_hold(const struct lc_case *c, const struct lc_collect *nodes,
                           const struct lc_node_task *task, struct lc_argv *words)
{
    const char *count = words->count > 0 ? "?" : "1";

    lc_argv_add(words, c->programs->rank);
    lc_argv_add(words, "hold");
    lc_argv_add(words, nodes->hosts);
    lc_argv_add(words, nodes->port);
    lc_argv_add(words, nodes->token);
    lc_argv_add(words, count);
    lc_argv_add(words, task->dir);
    lc_argv_add(words, lc_script_text(task->script));
    for (size_t i = 0; i < task->variables->count; i++)
        lc_argv_add(words, task->variables->item[i]);
}

int lc_node_hold_begin(struct lc_node_hold *hold, const struct lc_arm_job *job,
                       const struct lc_case *c, const struct lc_node_task *task,
                       struct lc_error *err)
{
    struct lc_argv words = {0};

    *hold = (struct lc_node_hold){0};
    if (lc_node_words(job, &words, err) < 0 ||
        lc_collect_open(&hold->nodes, LC_COLLECT_NODES, words.count == 0, err) < 0) {
        lc_argv_free(&words);
        return -1;
    }
    words_add_hold(c, &hold->nodes, task, &words);
    int rc = lc_collect_hold(&hold->nodes, &words, c->spec->timeout_s, err);
    lc_argv_free(&words);
    hold->is_held = true;
    if (rc < 0)
        lc_node_hold_end(hold);
    return rc;
}

void lc_node_hold_end(struct lc_node_hold *hold)
{
    if (!hold->is_held)
        return;
    lc_collect_release(&hold->nodes);
    lc_collect_close(&hold->nodes);
    hold->is_held = false;
}
