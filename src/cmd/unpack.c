/* SPDX-License-Identifier: MIT */
/* unpack.c - loadcast unpack: write the files of an image to a directory */
#include <errno.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "image/image.h"
#include "util/cli.h"
#include "util/human.h"

static const struct lc_opt opts[] = {{0}};

static const struct lc_cli cli = {
    .name = "loadcast unpack",
    .usage = "IMAGE DIR",
    .summary = "Write the files, links and directories of an image below DIR, which must be empty.",
    .notes = "Exit status: 0 done, 1 could not write, 2 usage, 3 the image cannot be used.\n",
    .opts = opts,
};

static void print_totals(const struct lc_unpacked *did, const char *dir)
{
    printf("unpacked %s files (%s), %s directories, %s links to '%s'\n",
           lc_human_count(did->files).s, lc_human_bytes(did->bytes).s,
           lc_human_count(did->directories).s, lc_human_count(did->links).s, dir);
    if (did->stat_only > 0)
        printf("%s files are known by their stat only and were left out\n",
               lc_human_count(did->stat_only).s);
}

int lc_cmd_unpack(int argc, char **argv)
{
    struct lc_error err;
    struct lc_unpacked did;
    int first, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc == 0 && argc - first != 2)
        rc = lc_error_set(&err, "needs an image and a directory");
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    struct lc_image *image = lc_image_open(argv[first], &err);
    if (!image)
        return lc_cli_fail(&cli, LC_EXIT_IMAGE, &err);
    rc = lc_image_unpack(image, argv[first + 1], &did, &err);
    int saved = errno;
    lc_image_close(image);
    errno = saved;
    if (rc < 0)
        return lc_cli_fail(&cli, errno == EBADMSG ? LC_EXIT_IMAGE : LC_EXIT_FAILED, &err);
    print_totals(&did, argv[first + 1]);
    return LC_EXIT_OK;
}
