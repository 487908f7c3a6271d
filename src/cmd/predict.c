/* SPDX-License-Identifier: MIT */
/* predict.c - loadcast predict: the same job on a machine that is not here */
#include "predict/calibrate.h"
#include "predict/predict.h"
#include "predict/simulate.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "util/cli.h"
#include "util/human.h"
#include "util/output.h"
#include "util/own_path.h"
#include "util/temporary.h"

static struct {
    const char *machine, *trace, *image, *results, *name, *ranks, *json, *html, *calibrate, *output;
    long max_ops;
    double cpu_s;
    bool machines, show, simulate;
} opt = {.cpu_s = -1, .max_ops = 10000, .output = "-"};

static const struct lc_opt options[] = {
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "the machine"},
    {0, "machine", LC_OPT_STRING, &opt.machine, "NAME",
     "a preset, or a file in YAML (its name has a slash or ends in .yaml)"},
    {0, "machines", LC_OPT_FLAG, &opt.machines, NULL,
     "list the presets and what they rest on, and stop"},
    {0, "show", LC_OPT_FLAG, &opt.show, NULL,
     "print the file of the preset that --machine names, to start from, and stop"},
    {0, "calibrate", LC_OPT_STRING, &opt.calibrate, "DIR",
     "measure the file system of DIR with a few thousand requests, write a machine file, and stop"},
    {0, "max-ops", LC_OPT_LONG, &opt.max_ops, "N",
     "with --calibrate: refuse to make more requests than this", 0, 1e9},
    {'o', "output", LC_OPT_STRING, &opt.output, "FILE",
     "with --calibrate: the machine file; - is standard output"},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "the job"},
    {0, "trace", LC_OPT_STRING, &opt.trace, "FILE", "as 'loadcast trace --json FILE' wrote it"},
    {0, "image", LC_OPT_STRING, &opt.image, "FILE", "what an image holds"},
    {0, "results", LC_OPT_STRING, &opt.results, "DB", "the newest plain run of a database"},
    {0, "case", LC_OPT_STRING, &opt.name, "NAME", "with --results: of this case"},
    {0, "cpu", LC_OPT_SECONDS, &opt.cpu_s, "TIME",
     "CPU time of one rank, if other than the trace's", 0, 1e6},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "how"},
    {0, "ranks", LC_OPT_STRING, &opt.ranks, "LIST",
     "widths; without it 1 to 1,000,000 and the whole machine"},
    {0, "simulate", LC_OPT_FLAG, &opt.simulate, NULL,
     "simulate the chain's messages, too, at up to 16,384 nodes (needs SimGrid; minutes)"},
    {0, "json", LC_OPT_STRING, &opt.json, "FILE",
     "write every figure as JSON; - is standard output, instead of the tables"},
    {0, "html", LC_OPT_STRING, &opt.html, "FILE",
     "write a page for a browser; - is standard output, instead of the tables"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast predict",
    .usage = "[options] --machine NAME (--trace FILE | --image FILE | --results DB | -- CMD...)",
    .summary = "How long would a job take on a machine, plainly and with each remedy?",
    .notes = "Exit status: 0 predicted, 1 failed, 2 usage, 3 the image cannot be used,\n"
             "4 --calibrate would ask more than --max-ops allows.\n"
             "Example: loadcast predict --machine sierra-lustre -- python3 -c 'import numpy'",
    .opts = options,
    .stop_at_word = true,
};

static int machines_list(void)
{
    for (const char *const *name = lc_machine_presets(); *name; name++) {
        struct lc_machine_model m;
        struct lc_error err;
        if (lc_machine_load(&m, *name, &err) < 0)
            return lc_cli_fail(&cli, LC_EXIT_FAILED, &err);
        printf("%s\n  source:  %s\n  fitted:  %s\n  assumed: %s\n  error:   %s\n", m.name,
               m.about.source, m.about.fitted, m.about.assumed, m.about.error);
    }
    return LC_EXIT_OK;
}

/* Run 'loadcast trace' on the command. Standard output is for the prediction, so the program's own
 * goes to standard error. 0, or -1 with err filled. */
static int command_trace(char **command, const char *json, struct lc_error *err)
{
    char front[PATH_MAX];
    size_t n = 0;
    int status = 0;

    while (command[n])
        n++;
    const char **argv = calloc(n + 8, sizeof(*argv));
    if (!argv || lc_own_front(front, err) < 0) {
        free(argv);
        return argv ? -1 : lc_error_errno(err, "cannot trace the command");
    }
    memcpy(argv, (const char *[]){front, "trace", "--json", json, "-o", "/dev/null", "--"},
           7 * sizeof(*argv));
    memcpy(argv + 7, command, n * sizeof(*argv));
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execv(front, (char **)argv);
        _exit(LC_EXIT_SELF);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    free(argv);
    if (pid < 0)
        return lc_error_errno(err, "cannot trace the command");
    if (WIFEXITED(status) && WEXITSTATUS(status) >= LC_EXIT_SELF &&
        WEXITSTATUS(status) <= LC_EXIT_NOT_FOUND)
        return lc_error_set(err, "cannot trace '%s' (see above)", command[0]);
    if (status != 0)
        fprintf(stderr, "loadcast predict: '%s' failed; what it asked before is predicted\n",
                command[0]);
    return 0;
}

static int job_from_command(struct lc_job *job, char **command, struct lc_error *err)
{
    struct lc_temporary file = LC_TEMPORARY_NONE;
    char prefix[PATH_MAX];
    const char *dir = getenv("TMPDIR");
    int rc;

    snprintf(prefix, sizeof(prefix), "%s/loadcast-predict", dir && *dir ? dir : "/tmp");
    if (lc_temporary_open(&file, prefix) < 0)
        return lc_error_errno(err, "cannot make a temporary file '%s'", prefix);
    rc = command_trace(command, file.path, err);
    if (rc == 0)
        rc = lc_job_from_trace(job, file.path, err);
    lc_temporary_discard(&file);
    return rc;
}

static int job_load(struct lc_job *job, char **command, struct lc_error *err)
{
    int rc = opt.trace     ? lc_job_from_trace(job, opt.trace, err)
             : opt.image   ? lc_job_from_image(job, opt.image, err)
             : opt.results ? lc_job_from_results(job, opt.results, opt.name, err)
                           : job_from_command(job, command, err);

    if (rc == 0 && opt.cpu_s >= 0)
        job->cpu_s = opt.cpu_s;
    return rc;
}

static int widths_choose(const struct lc_machine_model *m, long **ranks, size_t *count,
                         struct lc_error *err)
{
    if (opt.ranks)
        return lc_parse_long_list("--ranks", opt.ranks, 1, LC_PREDICT_MOST_RANKS, ranks, count,
                                  err);
    *ranks = calloc(LC_PREDICT_WIDTHS, sizeof(**ranks));
    if (!*ranks)
        return lc_error_errno(err, "cannot choose the widths");
    *count = lc_predict_default_widths(m, *ranks, LC_PREDICT_WIDTHS);
    return 0;
}

static int page_write(const struct lc_prediction *p, struct lc_error *err)
{
    struct lc_output out;
    int rc = lc_output_open(&out, opt.html, err);

    if (rc < 0)
        return -1;
    rc = lc_predict_page(p, out.stream, err);
    return lc_output_close(&out, rc == 0, err) < 0 ? -1 : rc;
}

static bool is_stdout(const char *file)
{
    return file && strcmp(file, "-") == 0;
}

static int prediction_show(const struct lc_prediction *p, char **command, struct lc_error *err)
{
    if ((opt.json && lc_predict_json(p, command, opt.json, err) < 0) ||
        (opt.html && page_write(p, err) < 0))
        return -1;
    if (!is_stdout(opt.json) && !is_stdout(opt.html))
        lc_predict_table(p, stdout);
    return 0;
}

static int arguments_check(int words, struct lc_error *err)
{
    int jobs = !!opt.trace + !!opt.image + !!opt.results + (words > 0);

    if (opt.machines || opt.calibrate)
        return words ? lc_error_set(err, "takes no arguments with --machines or --calibrate") : 0;
    if (!opt.machine)
        return lc_error_set(err,
                            "needs --machine; 'loadcast predict --machines' lists the presets");
    if (!opt.show && jobs != 1)
        return lc_error_set(err, "needs one of --trace, --image, --results and '-- CMD'; got %d",
                            jobs);
    if (is_stdout(opt.json) && is_stdout(opt.html))
        return lc_error_set(err, "--json and --html both go to standard output");
    return 0;
}

/* Tell what will be asked before asking it. */
static int calibration_announce(const struct lc_calibration *plan, struct lc_error *err)
{
    fprintf(stderr,
            "loadcast predict: will make up to %ld requests below '%s' from %ld threads: %ld small "
            "files "
            "made and removed, %ld misses, %ld look-ups, %ld opens, %ld one by one; and write and "
            "read %s\n",
            plan->requests, opt.calibrate, plan->threads, plan->files, plan->misses, plan->lookups,
            plan->opens, 3 * plan->one_by_one, lc_human_bytes((uint64_t)plan->read_bytes).s);
    if (plan->requests <= opt.max_ops)
        return 0;
    return lc_error_set(err, "%ld requests are more than --max-ops %ld allows; nothing was asked",
                        plan->requests, opt.max_ops);
}

static int machine_calibrate(void)
{
    const struct lc_calibration plan = lc_calibration_plan();
    struct lc_machine_model m;
    struct lc_output out;
    struct lc_error err;

    if (calibration_announce(&plan, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_REFUSED, &err);
    if (lc_calibrate(&plan, opt.calibrate, &m, &err) < 0 ||
        lc_output_open(&out, opt.output, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_FAILED, &err);
    lc_machine_write(&m, out.stream);
    if (lc_output_close(&out, true, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_FAILED, &err);
    return LC_EXIT_OK;
}

static int machine_show(void)
{
    const char *text = lc_machine_preset_text(opt.machine);
    struct lc_machine_model m;
    struct lc_error err;

    if (text)
        return fputs(text, stdout) < 0 ? LC_EXIT_FAILED : LC_EXIT_OK;
    if (lc_machine_load(&m, opt.machine, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    lc_machine_write(&m, stdout);
    return LC_EXIT_OK;
}

static int job_predict(const struct lc_machine_model *machine, char **command, char **words)
{
    struct lc_prediction *p = malloc(sizeof(*p));
    struct lc_job job;
    struct lc_error err;
    long *ranks = NULL;
    size_t count = 0;
    int code = LC_EXIT_OK;

    if (!p || widths_choose(machine, &ranks, &count, &err) < 0) {
        code = lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    } else if (job_load(&job, words, &err) < 0) {
        code = lc_cli_fail(&cli, opt.image ? LC_EXIT_IMAGE : LC_EXIT_FAILED, &err);
    } else {
        lc_predict(p, machine, &job, ranks, count);
        if (opt.simulate)
            lc_simulate(p);
        if (prediction_show(p, command, &err) < 0)
            code = lc_cli_fail(&cli, LC_EXIT_FAILED, &err);
    }
    free(ranks);
    free(p);
    return code;
}

int lc_cmd_predict(int argc, char **argv)
{
    struct lc_machine_model machine;
    struct lc_error err;
    int first, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc == 0)
        rc = arguments_check(argc - first, &err);
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    if (opt.machines)
        return machines_list();
    if (opt.calibrate)
        return machine_calibrate();
    if (opt.show)
        return machine_show();
    if (lc_machine_load(&machine, opt.machine, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    return job_predict(&machine, argv, argv + first);
}
