/* SPDX-License-Identifier: MIT */
/* trace_print.c - the results of a trace as tables */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/trace_view.h"
#include "predict/predict.h"
#include "trace/programs.h"
#include "util/buf.h"
#include "util/human.h"
#include "util/table.h"

/* The name with control characters escaped, since file names may hold anything. The caller frees
 * it. */
static struct lc_buf name_escape(const char *name)
{
    struct lc_buf text = {0};

    lc_buf_escape(&text, name, strlen(name));
    return text;
}

static void name_cell_add(struct lc_table *t, const char *name)
{
    struct lc_buf text = name_escape(name);

    lc_table_add(t, "%s", lc_buf_text(&text));
    lc_buf_free(&text);
}

static void print_head(const struct lc_trace_view *v, FILE *out)
{
    const struct lc_trace_outcome *o = &v->outcome;

    fprintf(out, "loadcast trace:");
    for (char **a = v->argv; *a; a++) {
        struct lc_buf text = name_escape(*a);
        fprintf(out, strpbrk(*a, " \t\n;&|<>$") ? " '%s'" : " %s", lc_buf_text(&text));
        lc_buf_free(&text);
    }
    fprintf(out, "\n%s, %u process%s, %u thread%s", lc_human_seconds(o->wall_s).s, o->processes,
            o->processes == 1 ? "" : "es", o->threads, o->threads == 1 ? "" : "s");
    if (o->is_running)
        fprintf(out, ", still running");
    else if (WIFSIGNALED(o->status))
        fprintf(out, ", ended by signal %d", WTERMSIG(o->status));
    else if (WEXITSTATUS(o->status))
        fprintf(out, ", exit status %d", WEXITSTATUS(o->status));
    if (v->under)
        fprintf(out, ", counted below %s", v->under);
    fputc('\n', out);
}

static void print_warnings(const struct lc_trace_outcome *o, FILE *out)
{
    if (o->is_partial)
        fprintf(out,
                "note: the program was let go before its end; what it did later is not here\n");
    if (o->has_foreign)
        fprintf(out, "note: a program of another word size ran; its calls are not here\n");
    if (o->has_io_uring)
        fprintf(out, "note: a program used io_uring; calls made through it are not here\n");
}

static void add_count_row(struct lc_table *t, const char *name, const struct lc_count *c)
{
    lc_table_add(t, "%s", name);
    lc_table_add(t, "%s", lc_human_count(c->ok).s);
    lc_table_add(t, "%s", lc_human_count(c->failed).s);
}

static void print_kinds(const struct lc_totals *total, FILE *out)
{
    struct lc_table t;

    lc_table_begin(&t, 3);
    lc_table_add(&t, "<operations");
    lc_table_add(&t, "ok");
    lc_table_add(&t, "failed");
    for (int k = 0; k < LC_TRACE_KINDS; k++)
        if (total->kind[k].ok + total->kind[k].failed)
            add_count_row(&t, lc_trace_kind_name((enum lc_trace_kind)k), &total->kind[k]);
    add_count_row(&t, "metadata in all", &total->metadata);
    add_count_row(&t, "data in all", &total->data);
    fputc('\n', out);
    lc_table_print(&t, out);
}

static void print_mounts(const struct lc_summary *sum, FILE *out)
{
    static const char *const heading[] = {"<mount", "<type", "metadata", "failed",
                                          "data",   "read",  "mapped"};
    struct lc_table t;

    lc_table_begin(&t, 7);
    for (size_t i = 0; i < 7; i++)
        lc_table_add(&t, "%s", heading[i]);
    for (size_t i = 0; i < sum->mount_count; i++) {
        const struct lc_mount_sum *m = &sum->mount[i];
        struct lc_count meta = {0}, data = {0};
        for (int k = 0; k < LC_TRACE_KINDS; k++) {
            struct lc_count *c = lc_trace_is_data((enum lc_trace_kind)k) ? &data : &meta;
            c->ok += m->kind[k].ok + m->kind[k].failed;
            c->failed += m->kind[k].failed;
        }
        name_cell_add(&t, m->mount->point);
        lc_table_add(&t, "%s%s", m->mount->type, m->mount->is_kernel ? " (no disk)" : "");
        lc_table_add(&t, "%s", lc_human_count(meta.ok).s);
        lc_table_add(&t, "%s", lc_human_count(meta.failed).s);
        lc_table_add(&t, "%s", lc_human_count(data.ok).s);
        lc_table_add(&t, "%s", lc_human_bytes(m->bytes_read).s);
        lc_table_add(&t, "%s", lc_human_bytes(m->bytes_mapped).s);
    }
    fputc('\n', out);
    lc_table_print(&t, out);
}

static void print_dirs(const struct lc_summary *sum, FILE *out)
{
    size_t index[LC_TRACE_WORST_DIRS];
    size_t n = lc_summary_worst_dirs(sum, index, LC_TRACE_WORST_DIRS);
    struct lc_table t;
    char why[8192];

    if (n == 0)
        return;
    lc_table_begin(&t, 4);
    lc_table_add(&t, "failed");
    lc_table_add(&t, "<in directory");
    lc_table_add(&t, "<first looked for");
    lc_table_add(&t, "<because of");
    for (size_t i = 0; i < n; i++) {
        const struct lc_map_entry *e = &sum->dirs.entry[index[i]];
        const struct lc_dir_sum *dir = e->value;
        lc_traced_program_why(sum, e->key, dir, why, sizeof(why));
        lc_table_add(&t, "%s", lc_human_count(dir->failed).s);
        name_cell_add(&t, e->key);
        name_cell_add(&t, dir->example ? dir->example : "");
        name_cell_add(&t, why[0] ? why : "-");
    }
    fprintf(out, "\nlook-ups of names that do not exist\n");
    lc_table_print(&t, out);
}

/* What the machine would make of the job, by the model of 'loadcast predict'. */
static void print_ranks(const struct lc_trace_view *v, FILE *out)
{
    const struct lc_machine_model *m = &v->machine;
    struct lc_job job;

    lc_job_from_summary(&job, v->argv[0], &v->summary, v->outcome.wall_s);
    fputc('\n', out);
    for (size_t i = 0; i < v->rank_count; i++) {
        struct lc_estimate e = lc_model_estimate(m, &job, LC_REMEDY_NONE, (double)v->ranks[i]);
        fprintf(out,
                "at %s rank%s this is %s requests; %s, answering %s per second, needs %s%s%s\n",
                lc_human_count((uint64_t)v->ranks[i]).s, v->ranks[i] == 1 ? "" : "s",
                lc_human_count((uint64_t)(e.requests + 0.5)).s, m->name,
                lc_human_count((uint64_t)(m->meta_servers * m->lookups_per_s)).s,
                lc_human_seconds(e.worst_s).s,
                lc_predict_is_beyond_machine(m, (double)v->ranks[i]) ? "; it has fewer nodes" : "",
                lc_predict_is_beyond_fit(m, (double)v->ranks[i])
                    ? "; far beyond the widths that its numbers were fitted to"
                    : "");
    }
}

void lc_trace_print(const struct lc_trace_view *v, FILE *out)
{
    struct lc_totals total = lc_summary_totals(&v->summary);

    print_head(v, out);
    print_warnings(&v->outcome, out);
    print_kinds(&total, out);
    fprintf(out, "%s different files opened, %s read, %s mapped\n",
            lc_human_count(v->summary.files.count).s, lc_human_bytes(total.bytes_read).s,
            lc_human_bytes(total.bytes_mapped).s);
    print_mounts(&v->summary, out);
    print_dirs(&v->summary, out);
    print_ranks(v, out);
}
