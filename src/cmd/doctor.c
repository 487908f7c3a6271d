/* SPDX-License-Identifier: MIT */
/* doctor.c - loadcast doctor: which part differs, and is this machine fit? */
#include "cmd/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "doctor/bundle.h"
#include "doctor/doctor_json.h"
#include "util/cli.h"
#include "util/human.h"
#include "util/json.h"

static struct {
    const char *image, *bundle, *dir;
    struct lc_strings manage;
    double timeout_s;
    bool dry_run, json, no_libraries, quiet;
} opt = {.timeout_s = 120};

static const struct lc_opt options[] = {
    {0, "image", LC_OPT_STRING, &opt.image, "IMAGE",
     "the image to run with; else $LOADCAST_IMAGE, the command's own in the store, or one that is "
     "recorded for this and removed again"},
    {0, "manage", LC_OPT_STRINGS, &opt.manage, "PREFIX",
     "when an image is recorded: what lies below PREFIX, whatever file system it is on (may be "
     "repeated)"},
    {0, "timeout", LC_OPT_SECONDS, &opt.timeout_s, "TIME", "end a run after TIME", 0.1, 86400},
    {0, "no-libraries", LC_OPT_FLAG, &opt.no_libraries, NULL,
     "do not compare the libraries that are loaded, which takes two runs more"},
    {0, "bundle", LC_OPT_STRING, &opt.bundle, "FILE.tar",
     "write what to attach to a report; the file must not exist"},
    {0, "dry-run", LC_OPT_FLAG, &opt.dry_run, NULL, "list the runs, run nothing"},
    {0, "dir", LC_OPT_STRING, &opt.dir, "DIR",
     "stage to DIR and nowhere else; see loadcast-exec(1)"},
    {0, "json", LC_OPT_FLAG, &opt.json, NULL, "the results as JSON"},
    {'q', "quiet", LC_OPT_FLAG, &opt.quiet, NULL, "do not tell of each run"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast doctor",
    .usage = "[options] [-- CMD [ARG...]]",
    .summary = "Does a command behave the same with each part of Loadcast? Without a command: is "
               "this machine fit?",
    .notes = "The command is run several times, plainly and with parts of Loadcast.\n"
             "Exit status: 0 nothing differs, no problem; 1 something differs, or there is a\n"
             "problem; 2 usage, or the command could not be run.\n",
    .opts = options,
    .stop_at_word = true,
    .example = "loadcast doctor -- mpiexec -n 2 python3 app.py",
};

/* Print JSON, which is freed. The exit code 'code' if that succeeds. */
static int json_print(json_t *value, int code)
{
    struct lc_error err;
    int rc = lc_json_write(value, "-", &err);

    json_decref(value);
    return rc < 0 ? lc_cli_fail(&cli, LC_EXIT_USAGE, &err) : code;
}

static int machine_examine(char **command)
{
    struct lc_machine_findings machine;

    lc_machine_examine(&machine, opt.dir);
    int code = machine.problems > 0 ? LC_EXIT_FAILED : LC_EXIT_OK;
    if (opt.json)
        return json_print(lc_machine_json(&machine, command), code);
    lc_machine_print(&machine);
    return code;
}

static int plan_print(const struct lc_doctor *doctor)
{
    json_t *list = opt.json ? json_array() : NULL;

    for (size_t i = 0; list && i < doctor->trials; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "run", doctor->trial[i].key,
                                              "what", doctor->trial[i].name, "conditional",
                                              doctor->trial[i].is_conditional));
    if (list)
        return json_print(list, LC_EXIT_OK);
    lc_doctor_print_plan(doctor);
    return LC_EXIT_OK;
}

/* Run all, write the bundle, and print. The exit code, or -1 with err filled. */
static int command_examine(struct lc_doctor *doctor, int bundle, char **command,
                           struct lc_error *err)
{
    if (!opt.quiet)
        fprintf(stderr,
                "loadcast doctor: runs '%s' up to %zu times, each for at most %s; --dry-run lists "
                "the runs\n",
                doctor->argv[0], doctor->trials, lc_human_seconds(opt.timeout_s).s);
    if (lc_doctor_run(doctor, err) < 0 ||
        (bundle >= 0 && lc_bundle_write(bundle, doctor, command, err) < 0))
        return -1;
    int code = lc_verdict_is_different(doctor->verdict) ? LC_EXIT_FAILED : LC_EXIT_OK;
    if (opt.json)
        return json_print(lc_doctor_json(doctor, command), code);
    lc_doctor_print_verdict(doctor, opt.bundle);
    return code;
}

int lc_cmd_doctor(int argc, char **argv)
{
    struct lc_error err;
    int first, bundle = -1, code = -1, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    if (first == argc && !opt.bundle && !opt.dry_run)
        return machine_examine(argv);
    if (first == argc) {
        lc_error_set(&err, "no command given; try: loadcast doctor -- python3 app.py");
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    }
    struct lc_doctor *doctor = calloc(1, sizeof(*doctor));
    if (!doctor)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, (lc_error_errno(&err, "no memory"), &err));
    doctor->argv = argv + first;
    doctor->image = opt.image;
    doctor->dir = opt.dir;
    doctor->manage = opt.manage;
    doctor->limit_s = opt.timeout_s;
    doctor->no_libraries = opt.no_libraries;
    doctor->done = opt.quiet ? NULL : lc_doctor_print_trial;
    rc = lc_doctor_plan(doctor, &err);
    if (rc == 0 && opt.dry_run)
        code = plan_print(doctor);
    else if (rc == 0 && (!opt.bundle || (bundle = lc_bundle_create(opt.bundle, &err)) >= 0))
        code = command_examine(doctor, bundle, argv, &err);
    lc_doctor_end(doctor);
    free(doctor);
    if (bundle >= 0 && (close(bundle) < 0 || code < 0))
        unlink(opt.bundle);
    return code < 0 ? lc_cli_fail(&cli, LC_EXIT_USAGE, &err) : code;
}
