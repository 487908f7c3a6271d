/* SPDX-License-Identifier: MIT */
/* env.c - build and keep relocatable Python environments */
#include "bench/env.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/copy.h"
#include "bench/programs.h"
#include "util/output.h"
#include "util/path.h"
#include "util/run.h"

#define FACTS ".loadcast-env.json"

int lc_env_python(const char *wish, char *out, size_t size, struct lc_error *err)
{
    if (!wish && access("/usr/bin/python3", X_OK) == 0)
        wish = "/usr/bin/python3";
    return lc_path_find_program(out, size, wish ? wish : "python3", err);
}

static int facts_file(const char *dir, char file[PATH_MAX], struct lc_error *err)
{
    if (snprintf(file, PATH_MAX, "%s/" FACTS, dir) < PATH_MAX)
        return 0;
    return lc_error_set(err, "too long a path: '%s'", dir);
}

static int facts_write(const char *dir, const struct lc_buf *said, struct lc_error *err)
{
    char file[PATH_MAX];
    struct lc_output out;

    if (facts_file(dir, file, err) < 0 || lc_output_open(&out, file, err) < 0)
        return -1;
    fputs(lc_buf_text(said), out.stream);
    return lc_output_close(&out, true, err);
}

/* Makes a directory with a random name beside 'dir'. 0, or -1 with err filled. */
static int part_make(const char *dir, char part[PATH_MAX], struct lc_error *err)
{
    size_t room = PATH_MAX - sizeof("/" FACTS ".tmp.0123456789abcdef");

    if ((size_t)snprintf(part, room, "%s.part-XXXXXX", dir) >= room)
        return lc_error_set(err, "too long a path: '%s'", dir);
    return mkdtemp(part) ? 0 : lc_error_errno(err, "cannot build an environment in '%s'", dir);
}

/* Gives the finished directory its final mode (by the umask) and name. */
static int part_publish(const char *part, const char *dir, struct lc_error *err)
{
    mode_t mask = umask(0);

    umask(mask);
    if (chmod(part, 0777 & ~mask) == 0 && rename(part, dir) == 0)
        return 0;
    return lc_error_errno(err, "cannot rename '%s' to '%s'", part, dir);
}

/* Builds in a temporary directory beside 'dir', then renames it. */
static int env_build(const char *dir, const char *python, char *const *packages, size_t count,
                     struct lc_error *err)
{
    struct lc_argv argv = {0};
    struct lc_buf said = {0};
    char part[PATH_MAX];
    struct lc_error ignored;

    if (part_make(dir, part, err) < 0)
        return -1;
    lc_argv_add(&argv, python);
    lc_argv_add(&argv, "-c");
    lc_argv_add(&argv, lc_script_text("make_env.py"));
    lc_argv_add(&argv, part);
    for (size_t i = 0; i < count; i++)
        lc_argv_add(&argv, packages[i]);
    int rc = lc_run_output_quiet(&argv, &said, err);
    if (rc == 0)
        rc = facts_write(part, &said, err);
    if (rc == 0)
        rc = part_publish(part, dir, err);
    if (rc < 0)
        lc_remove_tree(part, &ignored);
    lc_argv_free(&argv);
    lc_buf_free(&said);
    return rc;
}

int lc_env_make(const char *dir, const char *python, char *const *packages, size_t count,
                struct lc_error *err)
{
    char found[PATH_MAX], parent[PATH_MAX], absolute[PATH_MAX], here[PATH_MAX];

    if (lc_env_python(python, found, sizeof(found), err) < 0)
        return -1;
    if (!getcwd(here, sizeof(here)) || lc_path_absolute(absolute, sizeof(absolute), here, dir) < 0)
        return lc_error_errno(err, "'%s'", dir);
    if (rmdir(absolute) < 0 && errno != ENOENT)
        return lc_error_errno(err, "cannot build an environment in '%s'", dir);
    snprintf(parent, sizeof(parent), "%.*s", (int)lc_path_dir_len(absolute), absolute);
    if (lc_make_dirs(parent, err) < 0)
        return -1;
    return env_build(absolute, found, packages, count, err);
}

int lc_env_facts(const char *dir, struct lc_env_facts *facts, struct lc_error *err)
{
    char file[PATH_MAX];
    const char *version, *from;
    json_int_t files;

    if (facts_file(dir, file, err) < 0)
        return -1;
    json_t *all = json_load_file(file, 0, NULL);
    int rc =
        json_unpack(all, "{s:s, s:s, s:I}", "python", &version, "from", &from, "files", &files);
    if (rc == 0) {
        snprintf(facts->version, sizeof(facts->version), "%s", version);
        snprintf(facts->python, sizeof(facts->python), "%s", from);
        facts->files = (long)files;
    }
    json_decref(all);
    return rc < 0 ? lc_error_set(err, "'%s' is no environment made by 'loadcast bench env'", dir)
                  : 0;
}

/* The name contains the interpreter's inode and mtime and the list of packages. */
int lc_env_cached(const char *work, const char *python, char *const *packages, size_t count,
                  bool with_mpi, char *out, size_t size, struct lc_error *err)
{
    char found[PATH_MAX], *all[66];
    struct lc_buf name = {0};
    struct lc_env_facts facts;
    struct stat st;

    if (lc_env_python(python, found, sizeof(found), err) < 0)
        return -1;
    if (stat(found, &st) < 0)
        return lc_error_errno(err, "cannot stat '%s'", found);
    if (count > 64)
        return lc_error_set(err, "more than 64 packages in one case");
    memcpy(all, packages, count * sizeof(*all));
    if (with_mpi)
        all[count++] = (char *)(uintptr_t) "mpi4py";
    lc_buf_printf(&name, "%s/env-%llx-%llx", work, (unsigned long long)st.st_ino,
                  (unsigned long long)st.st_mtim.tv_sec);
    for (size_t i = 0; i < count; i++)
        lc_buf_printf(&name, "-%s", all[i]);
    int n = snprintf(out, size, "%s", lc_buf_text(&name));
    lc_buf_free(&name);
    if (n >= (int)size || n > 3500)
        return lc_error_set(err, "the names of these packages are too long together");
    return lc_env_facts(out, &facts, NULL) == 0 ? 0 : lc_env_make(out, found, all, count, err);
}
