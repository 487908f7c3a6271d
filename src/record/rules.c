/* SPDX-License-Identifier: MIT */
/* rules.c - which paths are managed. doc/decisions/record.md explains the rules. */
#include "record/rules.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/credentials.h"
#include "record/seen.h"
#include "util/path.h"

static int path_set_add(struct lc_map *set, const char *path)
{
    void **at = lc_map_at(set, path);

    if (at)
        *at = set; /* anything but NULL */
    return at ? 0 : -1;
}

static bool path_set_has(const struct lc_map *set, const char *path)
{
    return lc_map_get(set, path) != NULL;
}

/* Length of the longest member of the set that is 'path' or a directory above it; 0 if none. */
static size_t path_set_covers(const struct lc_map *set, const char *path)
{
    char dir[PATH_MAX];

    snprintf(dir, sizeof(dir), "%s", path);
    while (set->count > 0) {
        if (path_set_has(set, dir))
            return strlen(dir);
        size_t len = lc_path_dir_len(dir);
        if (len == 0 || dir[1] == '\0')
            break;
        dir[len] = '\0';
    }
    return 0;
}

static int add_prefix(struct lc_rules *rules, const char *given, struct lc_error *err)
{
    char cwd[PATH_MAX], clean[PATH_MAX], real[PATH_MAX];

    if (!getcwd(cwd, sizeof(cwd)) || lc_path_absolute(clean, sizeof(clean), cwd, given) < 0 ||
        !realpath(given, real))
        return lc_error_errno(err, "--manage '%s'", given);
    if (path_set_add(&rules->prefixes, clean) < 0 || path_set_add(&rules->prefixes, real) < 0)
        return lc_error_errno(err, "--manage '%s'", given);
    return 0;
}

/* Adds the directories of a list like PYTHONPATH, with links resolved; missing ones are ignored. */
static int add_path_list(struct lc_map *set, const char *list)
{
    char *copy = list ? strdup(list) : NULL, *rest = copy, *word, real[PATH_MAX];
    int rc = list && !copy ? -1 : 0;

    while (rc == 0 && (word = strsep(&rest, ":")))
        if (*word == '/' && realpath(word, real) && real[1])
            rc = path_set_add(set, real);
    free(copy);
    return rc;
}

int lc_rules_begin(struct lc_rules *rules, struct lc_error *err)
{
    const char *home = getenv("HOME");
    char real[PATH_MAX];

    if (add_path_list(&rules->roots, getenv("PYTHONPATH")) < 0 ||
        add_path_list(&rules->roots, getenv("LD_LIBRARY_PATH")) < 0 ||
        add_path_list(&rules->roots, getenv("PATH")) < 0)
        return lc_error_errno(err, "cannot record");

    for (size_t i = 0; rules->manage && i < rules->manage->count; i++)
        if (add_prefix(rules, rules->manage->item[i], err) < 0)
            return -1;
    if (home && realpath(home, rules->home) && strcpy(real, rules->home))
        snprintf(rules->cache, sizeof(rules->cache), "%.*s/.cache", PATH_MAX - 16, real);
    if (getcwd(real, sizeof(real)) && path_set_add(&rules->work, real) < 0)
        return lc_error_errno(err, "cannot record");
    return 0;
}

void lc_rules_end(struct lc_rules *rules)
{
    lc_map_free(&rules->prefixes, NULL);
    lc_map_free(&rules->roots, NULL);
    lc_map_free(&rules->secrets, NULL);
    lc_map_free(&rules->work, NULL);
    lc_map_free(&rules->busy, NULL);
    lc_map_free(&rules->scripts, NULL);
}

bool lc_rules_is_system(const struct lc_rules *rules, const char *path)
{
    static const char *const maybe[] = {"/dev", "/run", "/var/run"};

    for (size_t i = 0; i < sizeof(maybe) / sizeof(*maybe); i++)
        if (lc_path_is_under(path, maybe[i]))
            return path_set_covers(&rules->prefixes, path) <= strlen(maybe[i]);
    return lc_path_is_under(path, "/proc") || lc_path_is_under(path, "/sys");
}

bool lc_is_library(const char *path)
{
    const char *so = strstr(lc_path_base(path), ".so");

    return so && (so[3] == '\0' || so[3] == '.' || strcmp(path + strlen(path) - 3, ".so") == 0);
}

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);

    return n > m && strcmp(path + n - m, end) == 0;
}

bool lc_is_module(const char *path)
{
    return ends_with(path, ".py") || ends_with(path, ".pyc");
}

/* Put the directory of 'path' into 'out'. */
static bool directory_of(const char *path, char *out, size_t room)
{
    size_t len = lc_path_dir_len(path);

    if (len == 0 || len >= room)
        return false;
    memcpy(out, path, len);
    out[len] = '\0';
    return true;
}

/* PREFIX/bin/prog makes PREFIX a software tree (with its lib and share), unless PREFIX is "/" or
 * the home directory. */
static int learn_program(struct lc_rules *rules, const char *path)
{
    char dir[PATH_MAX], prefix[PATH_MAX], home[PATH_MAX] = "";
    const char *h = getenv("HOME");

    if (!directory_of(path, dir, sizeof(dir)) || path_set_add(&rules->roots, dir) < 0)
        return -1;
    const char *base = lc_path_base(dir);
    bool is_bin =
        strcmp(base, "bin") == 0 || strcmp(base, "sbin") == 0 || strcmp(base, "libexec") == 0;
    if (!is_bin || !directory_of(dir, prefix, sizeof(prefix)) || prefix[1] == '\0')
        return 0;
    if (h && realpath(h, home) && strcmp(home, prefix) == 0)
        return 0;
    return path_set_add(&rules->roots, prefix);
}

/* Adds the directory above the outermost package: the one that is in sys.path. */
static int learn_module(struct lc_rules *rules, const char *path, const struct lc_map *packages)
{
    char dir[PATH_MAX], up[PATH_MAX];

    if (!directory_of(path, dir, sizeof(dir)))
        return 0;
    if (ends_with(dir, "/__pycache__"))
        dir[strlen(dir) - 12] = '\0';
    while (dir[0] && path_set_has(packages, dir) && directory_of(dir, up, sizeof(up)) && up[1])
        memcpy(dir, up, sizeof(up));
    return dir[0] ? path_set_add(&rules->roots, dir) : 0;
}

/* Directories that Python lists to find modules, even if there are none. */
static bool is_module_directory(const char *path)
{
    const char *base = lc_path_base(path);

    return strcmp(base, "site-packages") == 0 || strcmp(base, "dist-packages") == 0 ||
           strcmp(base, "lib-dynload") == 0;
}

int lc_rules_learn(struct lc_rules *rules, const char *path, unsigned uses,
                   const struct lc_map *packages)
{
    char dir[PATH_MAX];

    if (lc_rules_is_system(rules, path))
        return 0;
    if ((uses & LC_USE_EXEC) && learn_program(rules, path) < 0)
        return -1;
    if (lc_is_library(path) && directory_of(path, dir, sizeof(dir)) && dir[1] &&
        path_set_add(&rules->roots, dir) < 0)
        return -1;
    if ((uses & LC_USE_LIST) && is_module_directory(path) && path_set_add(&rules->roots, path) < 0)
        return -1;
    if (lc_is_module(path) && (uses & LC_USE_READ) && learn_module(rules, path, packages) < 0)
        return -1;
    return 0;
}

bool lc_rules_is_excluded(const struct lc_rules *rules, const char *path)
{
    for (size_t i = 0; rules->exclude && i < rules->exclude->count; i++)
        if (lc_path_matches(rules->exclude->item[i], path))
            return true;
    return rules->cache[0] && lc_path_is_under(path, rules->cache);
}

/* Is the path in a working directory, and not in a software tree below that? */
static bool is_working_data(const struct lc_rules *rules, const char *path)
{
    size_t work = path_set_covers(&rules->work, path);

    if (work == 0 || lc_is_library(path) || lc_is_module(path))
        return false;
    return path_set_covers(&rules->roots, path) <= work &&
           path_set_covers(&rules->prefixes, path) < work;
}

bool lc_rules_is_shared(const struct lc_rules *rules, const char *path)
{
    if (lc_rules_is_system(rules, path) || lc_rules_is_excluded(rules, path))
        return false;
    return path_set_covers(&rules->prefixes, path) > 0 ||
           !lc_type_is_local(lc_mounts_find(rules->mounts, path)->type);
}

/* Files that Python looks for in many directories to find where it is installed, mostly in vain.
 * They belong to the software, not to the user's data. */
static bool is_python_landmark(const char *path)
{
    static const char *const name[] = {"pyvenv.cfg", "os.py", "os.pyc", "lib-dynload",
                                       "pybuilddir.txt"};
    const char *base = lc_path_base(path), *end = strrchr(base, '.');

    for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
        if (strcmp(base, name[i]) == 0)
            return true;
    return is_module_directory(path) || (strncmp(base, "python", 6) == 0 && end &&
                                         (strcmp(end, ".zip") == 0 || strcmp(end, "._pth") == 0));
}

static bool is_code(const char *path, unsigned uses)
{
    return (uses & LC_USE_EXEC) || lc_is_library(path) || lc_is_module(path);
}

bool lc_rules_is_software(const struct lc_rules *rules, const char *path, unsigned uses)
{
    char root[PATH_MAX];

    if (is_code(path, uses))
        return true;
    size_t len = path_set_covers(&rules->roots, path);
    snprintf(root, sizeof(root), "%.*s", (int)len, path);
    return len > 0 && !(rules->home[0] && lc_path_is_under(rules->home, root));
}

int lc_rules_learn_secret(struct lc_rules *rules, const char *name, const char *path)
{
    if (!lc_credential_is_place(name) || lc_credential_is_place(path) || strcmp(name, path) == 0)
        return 0;
    /* A link to the home directory, or above it, does not make everything there a credential. */
    return lc_path_is_under(rules->home, path) ? 0 : path_set_add(&rules->secrets, path);
}

bool lc_rules_is_credential(const struct lc_rules *rules, const char *path, unsigned uses)
{
    char dir[PATH_MAX];

    if (rules->take_private || is_code(path, uses))
        return false;
    if (uses == LC_USE_ABSENT && directory_of(path, dir, sizeof(dir)))
        return lc_credential_is_place(dir);
    return lc_credential_is_place(path) || path_set_covers(&rules->secrets, path) > 0 ||
           (lc_credential_is_likely(path) && !lc_rules_is_software(rules, path, uses));
}

bool lc_rules_is_personal(const struct lc_rules *rules, const char *path, unsigned uses,
                          unsigned mode)
{
    return !(mode & 044) && !rules->take_private && !(uses & LC_USE_ASKED) &&
           !lc_rules_is_software(rules, path, uses);
}

bool lc_rules_is_managed(const struct lc_rules *rules, const char *path, unsigned uses)
{
    return !lc_rules_is_credential(rules, path, uses) && lc_rules_is_wanted(rules, path, uses);
}

/* A module that was looked for in vain in a directory that changes: the job may write it. */
static bool is_module_to_come(const struct lc_rules *rules, const char *path, unsigned uses)
{
    char dir[PATH_MAX];

    return uses == LC_USE_ABSENT && lc_is_module(path) && directory_of(path, dir, sizeof(dir)) &&
           lc_rules_is_changing(rules, dir);
}

bool lc_rules_is_wanted(const struct lc_rules *rules, const char *path, unsigned uses)
{
    if (lc_rules_is_system(rules, path) || lc_rules_is_excluded(rules, path))
        return false;
    if (uses & LC_USE_ASKED)
        return true;
    if (!lc_rules_is_shared(rules, path) || is_module_to_come(rules, path, uses) ||
        (!(uses & LC_USE_EXEC) && is_working_data(rules, path)))
        return false;
    return path_set_covers(&rules->prefixes, path) > 0 ||
           path_set_covers(&rules->roots, path) > 0 || is_python_landmark(path);
}

int lc_rules_add_work(struct lc_rules *rules, const char *dir)
{
    return path_set_covers(&rules->roots, dir) > 0 ? 0 : path_set_add(&rules->work, dir);
}

int lc_rules_add_script(struct lc_rules *rules, const char *dir)
{
    return path_set_add(&rules->scripts, dir);
}

bool lc_rules_may_be_complete(const struct lc_rules *rules, const char *dir)
{
    return !lc_rules_is_changing(rules, dir) && !path_set_has(&rules->scripts, dir);
}

int lc_rules_add_busy(struct lc_rules *rules, const char *dir)
{
    return path_set_add(&rules->busy, dir);
}

int lc_rules_add_image(struct lc_rules *rules, const char *file)
{
    char dir[PATH_MAX], real[PATH_MAX];
    size_t len = lc_path_dir_len(file);

    snprintf(dir, sizeof(dir), "%.*s", (int)len, file);
    return realpath(len ? dir : ".", real) ? lc_rules_add_busy(rules, real) : 0;
}

bool lc_rules_is_changing(const struct lc_rules *rules, const char *dir)
{
    return path_set_has(&rules->work, dir) || path_set_has(&rules->busy, dir);
}
