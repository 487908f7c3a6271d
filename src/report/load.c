/* SPDX-License-Identifier: MIT */
/* load.c - read runs from the database and group them into points */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/history.h"
#include "report/report.h"
#include "results/fields.h"

enum { READY_MOST = 20000, READY_SHOWN = 101 };

static const char *const part_names[LC_PARTS] = {"check",  "stage", "launch", "start",
                                                 "import", "visit", "rest"};
static const char *const side_names[LC_SIDES] = {
    LC_METRIC_OPERATIONS,     LC_METRIC_OPERATIONS_PER,   LC_METRIC_BYSTANDER,
    LC_METRIC_BYSTANDER_IDLE, LC_METRIC_BYSTANDER_SERVER, LC_METRIC_COPY,
    LC_METRIC_IMAGE,          LC_METRIC_SERVER_BUSY,      LC_METRIC_SERVER_BUSY_ALL,
    LC_METRIC_CPU_CONTROL,    LC_METRIC_PREPARE,          LC_METRIC_EDIT,
    LC_METRIC_MEMORY};

const char *lc_part_name(enum lc_part part)
{
    return part_names[part];
}

const char *lc_side_name(enum lc_side side)
{
    return side_names[side];
}

/* A copy of the text that lives as long as the report; equal texts share it. "" if out of memory.
 */
static const char *text_keep(struct lc_report *r, const char *text)
{
    void **value = lc_map_at(&r->texts, text);

    if (!value)
        return "";
    if (!*value) /* just added, so it is the last entry */
        *value = r->texts.entry[r->texts.count - 1].key;
    return *value;
}

static const struct lc_report_place *place_find(struct lc_report *r, const struct lc_run *run)
{
    struct lc_buf key = {0};

    for (const struct lc_field *f = lc_place_fields; f->name; f++)
        if (strcmp(f->name, "job") != 0)
            lc_buf_printf(&key, "%s\x1f", lc_field_of(&run->place, f));
    size_t before = r->places.count;
    struct lc_report_place *place = lc_map_object(&r->places, lc_buf_text(&key), sizeof(*place));
    lc_buf_free(&key);
    if (place && r->places.count > before) {
        place->index = before;
        for (const struct lc_field *f = lc_place_fields; f->name; f++)
            *lc_field_at(&place->is, f) = text_keep(r, lc_field_of(&run->place, f));
        place->is.job = "";
    }
    return place;
}

static struct lc_report_point *point_find(struct lc_report *r, const struct lc_run_key *key)
{
    struct lc_buf text = {0};

    lc_buf_printf(&text, "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%ld\x1f%ld", key->name, key->mode,
                  key->target, key->with, key->cache, key->ranks, key->nodes);
    struct lc_report_point *point = lc_map_object(&r->by_key, lc_buf_text(&text), sizeof(*point));
    lc_buf_free(&text);
    if (point && !point->name) {
        *point = (struct lc_report_point){.name = text_keep(r, key->name),
                                          .mode = text_keep(r, key->mode),
                                          .target = text_keep(r, key->target),
                                          .with = text_keep(r, key->with),
                                          .cache = text_keep(r, key->cache),
                                          .ranks = key->ranks,
                                          .nodes = key->nodes,
                                          .how = ""};
    }
    return point;
}

/* Adds the parts of the slowest rank, so that the parts add up to the headline. */
static void parts_add(struct lc_report_point *point, const struct lc_run *run)
{
    const struct lc_run_phase *total = lc_run_phase(run, "total");
    size_t worst = 0;
    double rest = (double)total->max_ns / 1e9;

    for (size_t i = 0; total->sample_ns && i < total->ranks; i++)
        if (total->sample_ns[i] > total->sample_ns[worst])
            worst = i;
    for (int p = LC_PART_LAUNCH; p < LC_PART_REST; p++) {
        const struct lc_run_phase *phase = lc_run_phase(run, part_names[p]);
        if (!phase)
            continue;
        double s =
            (double)(phase->sample_ns && phase->ranks == total->ranks ? phase->sample_ns[worst]
                                                                      : phase->median_ns) /
            1e9;
        lc_numbers_add(&point->parts[p], s);
        rest -= s;
    }
    lc_numbers_add(&point->parts[LC_PART_REST], rest > 0 ? rest : 0);
    lc_numbers_add(&point->parts[LC_PART_CHECK], lc_run_metric(run, LC_METRIC_CHECK));
    lc_numbers_add(&point->parts[LC_PART_STAGE], lc_run_metric(run, LC_METRIC_STAGE));
}

static void ready_add(struct lc_report_point *point, const struct lc_run *run)
{
    const struct lc_run_phase *total = lc_run_phase(run, "total");
    double before = run->total_s - (double)total->max_ns / 1e9; /* check and staging */

    for (size_t i = 0; total->sample_ns && i < total->ranks && point->ready.n < READY_MOST; i++)
        lc_numbers_add(&point->ready, before + (double)total->sample_ns[i] / 1e9);
}

/* Operations per rank are computed from those of the job: older versions stored another value. */
static double run_side(const struct lc_run *run, enum lc_side side)
{
    return side == LC_SIDE_OPERATIONS_PER
               ? lc_run_metric(run, LC_METRIC_OPERATIONS) / (double)run->key.ranks
               : lc_run_metric(run, side_names[side]);
}

static void values_add(struct lc_report *r, struct lc_report_point *point, const struct lc_run *run,
                       const struct lc_report_place *place)
{
    lc_numbers_add(&point->total, run->total_s);
    for (int s = 0; s < LC_SIDES; s++)
        lc_numbers_add(&point->sides[s], run_side(run, (enum lc_side)s));
    if (lc_run_phase(run, "total")) {
        parts_add(point, run);
        ready_add(point, run);
    }
    point->place = place;
    point->how = text_keep(r, run->key.how);
}

static struct lc_report_run *run_create(struct lc_report *r)
{
    if (r->runs == r->room) {
        size_t more = r->room ? r->room * 2 : 1024;
        struct lc_report_run *bigger = realloc(r->run, more * sizeof(*bigger));
        if (!bigger)
            return NULL;
        r->run = bigger;
        r->room = more;
    }
    return &r->run[r->runs++];
}

static int add_run(void *arg, const struct lc_run *run)
{
    struct lc_report *r = arg;
    struct lc_report_point *point = point_find(r, &run->key);
    const struct lc_report_place *place = place_find(r, run);
    struct lc_report_run *one = run_create(r);

    if (!point || !place || !one)
        return -1;
    *one = (struct lc_report_run){.id = run->id,
                                  .point = point,
                                  .place = place,
                                  .started_ns = run->started_ns,
                                  .total_s = run->total_s,
                                  .repetition = run->key.repetition,
                                  .status = run->status,
                                  .job = text_keep(r, run->place.job),
                                  .reason = text_keep(r, run->reason),
                                  .errors = text_keep(r, run->errors),
                                  .suite = text_keep(r, run->key.suite)};
    r->ended[run->status]++;
    if (run->status != LC_RUN_DONE || isnan(run->total_s))
        point->failed++;
    else
        values_add(r, point, run, place);
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const struct lc_report_point *x = *(struct lc_report_point *const *)a,
                                 *y = *(struct lc_report_point *const *)b;
    int order = strcmp(x->name, y->name);

    order = order ? order : strcmp(x->mode, y->mode);
    order = order ? order : strcmp(x->cache, y->cache);
    order = order ? order : strcmp(x->target, y->target);
    order = order ? order : -strcmp(x->with, y->with); /* plain first */
    if (order == 0)
        order = (x->ranks > y->ranks) - (x->ranks < y->ranks);
    return order ? order : (x->nodes < y->nodes) - (x->nodes > y->nodes);
}

static bool is_same_series(const struct lc_report_point *a, const struct lc_report_point *b)
{
    return a->target == b->target && a->with == b->with;
}

static double median_of(struct lc_numbers *list)
{
    lc_numbers_sort(list);
    return lc_median(list);
}

/* Keeps at most READY_SHOWN values, evenly chosen, so that the distribution stays the same. */
static void numbers_thin_out(struct lc_numbers *sorted)
{
    if (sorted->n <= READY_SHOWN)
        return;
    for (size_t i = 0; i < READY_SHOWN; i++)
        sorted->v[i] = sorted->v[i * (sorted->n - 1) / (READY_SHOWN - 1)];
    sorted->n = READY_SHOWN;
}

static void point_sum_up(struct lc_report_point *point)
{
    point->median_s = median_of(&point->total);
    point->best_s = lc_numbers_quantile(&point->total, 0);
    point->worst_s = lc_numbers_quantile(&point->total, 1);
    for (int p = 0; p < LC_PARTS; p++)
        point->part_s[p] = median_of(&point->parts[p]);
    for (int s = 0; s < LC_SIDES; s++)
        point->side[s] = median_of(&point->sides[s]);
    lc_numbers_sort(&point->ready);
    numbers_thin_out(&point->ready);
}

static int points_sort(struct lc_report *r)
{
    r->points = r->by_key.count;
    r->point = calloc(r->points + 1, sizeof(*r->point));
    r->view = calloc(r->points + 1, sizeof(*r->view));
    if (!r->point || !r->view)
        return -1;
    for (size_t i = 0; i < r->points; i++)
        r->point[i] = r->by_key.entry[i].value;
    qsort(r->point, r->points, sizeof(*r->point), by_key);
    for (size_t i = 0; i < r->points; i++) {
        struct lc_report_point *p = r->point[i], *last = i ? r->point[i - 1] : NULL;
        p->index = i;
        point_sum_up(p);
        bool same_view =
            last && last->name == p->name && last->mode == p->mode && last->cache == p->cache;
        p->is_twin = same_view && is_same_series(p, last) && p->ranks == last->ranks;
        if (!same_view)
            r->view[r->views++] = (struct lc_view){p->name, p->mode, p->cache, &r->point[i], 0};
        r->view[r->views - 1].points++;
    }
    return 0;
}

static int point_add_run(struct lc_report_point *point, struct lc_report_run *run)
{
    if (point->runs == point->room) {
        size_t more = point->room ? point->room * 2 : 4;
        struct lc_report_run **bigger = realloc(point->run, more * sizeof(*bigger));
        if (!bigger)
            return -1;
        point->run = bigger;
        point->room = more;
    }
    point->run[point->runs++] = run;
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct lc_report_run *x = *(struct lc_report_run *const *)a,
                               *y = *(struct lc_report_run *const *)b;

    return (x->started_ns > y->started_ns) - (x->started_ns < y->started_ns);
}

static int runs_arrange(struct lc_report *r)
{
    for (size_t i = 0; i < r->runs; i++) {
        int64_t at = r->run[i].started_ns;
        if (point_add_run(r->run[i].point, &r->run[i]) < 0)
            return -1;
        r->first_ns = i == 0 || at < r->first_ns ? at : r->first_ns;
        r->last_ns = i == 0 || at > r->last_ns ? at : r->last_ns;
    }
    for (size_t i = 0; i < r->points; i++) {
        qsort(r->point[i]->run, r->point[i]->runs, sizeof(*r->point[i]->run), by_time);
        lc_history_mark(r->point[i]);
    }
    return 0;
}

struct lc_report *lc_report_load(const struct lc_results *results,
                                 const struct lc_run_filter *filter, struct lc_error *err)
{
    struct lc_report *r = calloc(1, sizeof(*r));

    *err = (struct lc_error){{0}};
    if (r && lc_results_each(results, filter, LC_READ_ALL, add_run, r, err) == 0 &&
        points_sort(r) == 0 && runs_arrange(r) == 0)
        return r;
    if (!*err->text)
        lc_error_set(err, "cannot make a report: out of memory");
    lc_report_free(r);
    return NULL;
}

static void point_free(void *value)
{
    struct lc_report_point *point = value;

    for (int p = 0; p < LC_PARTS; p++)
        lc_numbers_free(&point->parts[p]);
    for (int s = 0; s < LC_SIDES; s++)
        lc_numbers_free(&point->sides[s]);
    lc_numbers_free(&point->total);
    lc_numbers_free(&point->ready);
    free(point->run);
    free(point);
}

void lc_report_free(struct lc_report *r)
{
    if (!r)
        return;
    lc_map_free(&r->by_key, point_free);
    lc_map_free(&r->places, free);
    lc_map_free(&r->texts, NULL);
    free(r->run);
    free(r->point);
    free(r->view);
    free(r);
}

size_t lc_view_series(const struct lc_view *view, size_t from)
{
    size_t n = 1;

    while (from + n < view->points && is_same_series(view->point[from], view->point[from + n]))
        n++;
    return n;
}

const struct lc_report_point *lc_report_find(const struct lc_report *r,
                                             const struct lc_report_point *like, const char *mode,
                                             const char *with, const char *cache)
{
    struct lc_buf text = {0};

    lc_buf_printf(&text, "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%ld\x1f%ld", like->name,
                  mode ? mode : like->mode, like->target, with ? with : like->with,
                  cache ? cache : like->cache, like->ranks, like->nodes);
    const struct lc_report_point *point = lc_map_get(&r->by_key, lc_buf_text(&text));
    lc_buf_free(&text);
    return point && !isnan(point->median_s) ? point : NULL;
}

double lc_point_bystander(const struct lc_report_point *p)
{
    double server = p->side[LC_SIDE_BYSTANDER_SERVER];

    return isnan(server) ? p->side[LC_SIDE_BYSTANDER] : server;
}

const char *lc_mode_words(const char *mode)
{
    static const char *const words[][2] = {
        {"pyMPI", "imported"},        {"mpi4py", "imported (mpi4py)"},
        {"pynamic-pyMPI", "linked"},  {"pynamic-sdb-pyMPI", "linked (sdb)"},
        {"pynamic-bigexe", "bigexe"}, {"python-import", "imported"},
        {"cloadtest", "linked (C)"},  {"cloadtest-mpi", "linked (C, MPI)"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(mode, words[i][0]) == 0)
            return words[i][1];
    return mode;
}
