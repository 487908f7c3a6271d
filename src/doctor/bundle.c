/* SPDX-License-Identifier: MIT */
/* bundle.c - what to attach to a report, as one tar file
 *
 * No content of files goes into it: of the image only its index, of programs what they printed. */
#include "doctor/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor_json.h"
#include "doctor/doctor_private.h"
#include "doctor/redact.h"
#include "doctor/tar.h"
#include "util/run.h"

#define TOP "loadcast-doctor/"

enum { OUTPUT_MOST = 1 << 20 };

int lc_bundle_create(const char *file, struct lc_error *err)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    return fd >= 0 ? fd : lc_error_errno(err, "cannot create the bundle '%s'", file);
}

static int json_add(int fd, const char *name, json_t *value)
{
    char *text;
    int rc = -1;

    lc_redact_json(value);
    if ((text = json_dumps(value, JSON_INDENT(1))))
        rc = lc_tar_add(fd, name, text, strlen(text));
    free(text);
    json_decref(value);
    return rc;
}

static int text_add(int fd, const char *name, const char *text)
{
    struct lc_buf hidden = {0};

    lc_redact(&hidden, text);
    int rc = hidden.failed ? -1 : lc_tar_add(fd, name, lc_buf_text(&hidden), hidden.len);
    lc_buf_free(&hidden);
    return rc;
}

/* The beginning of an output. */
static int output_add(int fd, const struct lc_trial *t, const char *file, const char *end)
{
    char name[96], *text = lc_doctor_read_text(file);

    snprintf(name, sizeof(name), TOP "runs/%s.%s", t->key, end);
    if (text && strlen(text) > OUTPUT_MOST)
        text[OUTPUT_MOST] = '\0';
    int rc = text ? text_add(fd, name, text) : 0;
    free(text);
    return rc;
}

static int libraries_add(int fd, const struct lc_trial *t)
{
    struct lc_buf text = {0};
    char name[96];

    snprintf(name, sizeof(name), TOP "runs/%s.libraries", t->key);
    lc_libraries_text(&t->libraries, &text);
    int rc = text_add(fd, name, lc_buf_text(&text));
    lc_buf_free(&text);
    return rc;
}

static int trials_add(int fd, const struct lc_doctor *d)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < d->trials; i++) {
        const struct lc_trial *t = &d->trial[i];
        if (!t->has_run)
            continue;
        if (output_add(fd, t, t->output, "out") < 0 || output_add(fd, t, t->errors, "err") < 0)
            return -1;
        rc = t->is_traced ? libraries_add(fd, t) : 0;
    }
    return rc;
}

/* The index as 'loadcast info' shows it: paths, sizes, times, checksums. */
static int image_add(int fd, const struct lc_doctor *d)
{
    struct lc_argv words = {0};
    struct lc_buf text = {0};
    json_t *index = NULL;

    lc_argv_add(&words, d->front);
    lc_argv_words(&words, "info --json --files --dirs --absent --search --bindings");
    lc_argv_add(&words, d->use);
    if (lc_run_output_quiet(&words, &text, NULL) == 0)
        index = json_loadb(lc_buf_text(&text), text.len, 0, NULL);
    lc_argv_free(&words);
    lc_buf_free(&text);
    return index ? json_add(fd, TOP "image.json", index) : 0;
}

static bool variable_matters(const char *variable)
{
    static const char *const begin[] = {
        "LD_",    "LOADCAST", "PYTHON", "GLIBC_TUNABLES=", "PATH=",  "TMPDIR=",
        "LANG=",  "LC_",      "SLURM",  "OMPI_",           "PMI",    "PRTE_",
        "HYDRA_", "MPI",      "CONDA",  "VIRTUAL_ENV=",    "MALLOC_"};

    for (size_t i = 0; i < sizeof(begin) / sizeof(*begin); i++)
        if (strncmp(variable, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

static int variables_add(int fd)
{
    struct lc_buf text = {0};

    for (char **v = environ; *v; v++)
        if (variable_matters(*v)) {
            lc_buf_escape(&text, *v, strlen(*v));
            lc_buf_putc(&text, '\n');
        }
    int rc = text_add(fd, TOP "environment", lc_buf_text(&text));
    lc_buf_free(&text);
    return rc;
}

int lc_bundle_write(int fd, const struct lc_doctor *d, char *const *command, struct lc_error *err)
{
    struct lc_machine_findings machine;

    lc_machine_examine(&machine, d->dir);
    if (json_add(fd, TOP "report.json", lc_doctor_json(d, command)) < 0 ||
        json_add(fd, TOP "machine.json", lc_machine_json(&machine, command)) < 0 ||
        variables_add(fd) < 0 || image_add(fd, d) < 0 || trials_add(fd, d) < 0 ||
        lc_tar_finish(fd) < 0)
        return lc_error_errno(err, "cannot write the bundle");
    return 0;
}
