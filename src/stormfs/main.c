/* SPDX-License-Identifier: MIT */
/* main.c - stormfs: mount, or 'ctl' */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "stormfs/ctl.h"
#include "stormfs/options.h"
#include "stormfs/serve.h"

static int error_print(int code, const struct lc_error *err)
{
    fprintf(stderr, "stormfs: %s\n", err->text);
    return code;
}

int main(int argc, char **argv)
{
    struct lc_options options;
    struct lc_error err = {0};

    if (argc > 1 && strcmp(argv[1], "ctl") == 0)
        return lc_ctl_main(argc - 1, argv + 1);
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("stormfs %s\n", LC_VERSION);
        return LC_EXIT_OK;
    }
    int rc = lc_options_parse(&options, argc, argv, &err);
    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc < 0)
        return error_print(LC_EXIT_USAGE, &err);
    return lc_serve(&options, &err) < 0 ? error_print(LC_EXIT_FAILED, &err) : LC_EXIT_OK;
}
