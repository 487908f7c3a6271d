/* SPDX-License-Identifier: MIT */
/* bench_env.c - loadcast bench env: a relocatable Python environment */
#include <stdint.h>
#include <stdio.h>

#include "bench/env.h"
#include "cmd/bench.h"
#include "util/cli.h"
#include "util/human.h"

int lc_cmd_bench_env(int argc, char **argv)
{
    struct lc_strings packages = {.count = 0};
    const char *python = NULL;
    const struct lc_opt options[] = {
        {0, "python", LC_OPT_STRING, &python, "PYTHON",
         "copy this interpreter; else /usr/bin/python3, or the first python3 in PATH"},
        {0, "package", LC_OPT_STRINGS, &packages, "NAME",
         "a package to copy, with all that importing it loads; numpy if none is given (may be "
         "repeated)"},
        {0},
    };
    const struct lc_cli cli = {
        .name = "loadcast bench env",
        .usage = "[options] DIR",
        .summary = "Build a Python environment in DIR that runs wherever it is moved.",
        .notes = "'. DIR/bin/activate' uses it by hand. Exit status: 0 built, 1 failed, 2 usage.\n",
        .opts = options,
    };
    struct lc_env_facts facts;
    struct lc_error err;
    int first, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc == 0 && argc - first != 1)
        rc = lc_error_set(&err, argc == first ? "needs a directory" : "takes one directory");
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    if (packages.count == 0)
        packages.item[packages.count++] = "numpy";
    if (lc_env_make(argv[first], python, (char *const *)(uintptr_t)packages.item, packages.count,
                    &err) < 0 ||
        lc_env_facts(argv[first], &facts, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_FAILED, &err);
    printf("Python %s from '%s', %s files in '%s'\n", facts.version, facts.python,
           lc_human_count((uint64_t)facts.files).s, argv[first]);
    return LC_EXIT_OK;
}
