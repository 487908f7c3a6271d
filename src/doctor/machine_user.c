/* SPDX-License-Identifier: MIT */
/* machine_user.c - the user's store, the site's configuration, and shims in PATH */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/machine_private.h"
#include "launch/run.h"
#include "node/format.h"
#include "store/list.h"
#include "util/human.h"
#include "util/path.h"
#include "util/site_conf.h"

static void store_tell(struct lc_machine_findings *m, const struct lc_store_dir *dir)
{
    struct lc_store_list list = {0};
    struct lc_error err;
    uint64_t cap = lc_store_cap_bytes();

    if (lc_store_list_read(&list, dir, &err) < 0) {
        lc_machine_add(m, LC_FINDING_PROBLEM, "store", "%s", err.text);
    } else {
        struct lc_finding *f =
            lc_machine_add(m, list.bytes > cap ? LC_FINDING_NOTE : LC_FINDING_OK, "store",
                           "'%s' is yours alone and holds %s image%s, %s of at most %s", dir->path,
                           lc_human_count(list.count).s, list.count == 1 ? "" : "s",
                           lc_human_bytes(list.bytes).s, lc_human_bytes(cap).s);
        if (list.bytes > cap)
            lc_finding_advise(f, "the next recording removes those that were not used for longest; "
                                 "LOADCAST_STORE_CAP allows more");
    }
    lc_store_list_free(&list);
}

void lc_machine_check_store(struct lc_machine_findings *m)
{
    struct lc_store_dir dir = LC_STORE_DIR_NONE;
    struct lc_error err;
    struct lc_finding *f = NULL;

    if (lc_store_dir_open(&dir, false, &err) == 0 &&
        faccessat(dir.fd, ".", W_OK | X_OK, AT_EACCESS) == 0)
        store_tell(m, &dir);
    else if (dir.fd >= 0)
        f = lc_machine_add(m, LC_FINDING_PROBLEM, "store", "cannot write to '%s': %s", dir.path,
                           strerror(errno));
    else if (errno == ENOENT)
        lc_machine_add(m, LC_FINDING_OK, "store",
                       "there is none yet; the first recording makes it");
    else
        f = lc_machine_add(m, LC_FINDING_PROBLEM, "store", "%s", err.text);
    if (f)
        lc_finding_advise(f, "make it a directory of yours with mode 0700, or set LOADCAST_STORE "
                             "to another");
    lc_store_dir_close(&dir);
}

void lc_machine_check_site(struct lc_machine_findings *m)
{
    const struct lc_site_conf *conf = lc_site_conf();
    const char *off = getenv(LC_NODE_OFF), *complaint = lc_buf_text(&conf->complaints);
    struct lc_finding *f = NULL;

    if (off && strcmp(off, "0") == 0) {
        f = lc_machine_add(m, LC_FINDING_NOTE, "switched off", "LOADCAST=0 is in the environment");
        lc_finding_advise(f, "unset LOADCAST");
    }
    if (*complaint) {
        f = lc_machine_add(m, LC_FINDING_PROBLEM, "site", "%.*s", (int)strcspn(complaint, "\n"),
                           complaint);
        lc_finding_advise(f, "correct the file, or tell those who keep it: loadcast.conf(5)");
    } else if (conf->off) {
        f = lc_machine_add(m, LC_FINDING_NOTE, "site", "'%s' has switched Loadcast off",
                           conf->file);
        lc_finding_advise(f, "LOADCAST=1 in the environment switches it on for you");
    } else if (conf->file[0]) {
        lc_machine_add(m, LC_FINDING_OK, "site", "defaults are read from '%s'", conf->file);
    } else {
        lc_machine_add(m, LC_FINDING_OK, "site", "no loadcast.conf; the defaults are Loadcast's");
    }
}

/* The directory of our stand-ins for launchers, if it is in PATH; *is_first: nothing is before it
 * that has a launcher. */
static bool shims_find(char out[PATH_MAX], bool *is_first)
{
    char launcher[PATH_MAX + 16];

    *is_first = true;
    for (const char *dir = getenv("PATH"); dir; dir = lc_path_list_next(dir)) {
        snprintf(out, PATH_MAX, "%.*s", (int)strcspn(dir, ":"), dir);
        if (lc_nested_is_shims(out))
            return true;
        snprintf(launcher, sizeof(launcher), "%s/srun", out);
        bool has_srun = access(launcher, X_OK) == 0;
        snprintf(launcher, sizeof(launcher), "%s/mpiexec", out);
        *is_first &= !has_srun && access(launcher, X_OK) != 0;
    }
    return false;
}

void lc_machine_check_shims(struct lc_machine_findings *m)
{
    char dir[PATH_MAX];
    bool is_first;

    if (!shims_find(dir, &is_first)) {
        lc_machine_add(m, LC_FINDING_OK, "shims",
                       "not in PATH: launch lines need the word 'loadcast' before them");
    } else if (is_first) {
        lc_machine_add(m, LC_FINDING_OK, "shims", "'%s' is in PATH: launchers go through Loadcast",
                       dir);
    } else {
        struct lc_finding *f = lc_machine_add(
            m, LC_FINDING_PROBLEM, "shims", "'%s' is in PATH, but a launcher comes before it", dir);
        lc_finding_advise(f, "load the module of the shims after that of the MPI");
    }
}
