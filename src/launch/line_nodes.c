/* SPDX-License-Identifier: MIT */
/* line_nodes.c - how many nodes a launch line may use, and whether that is this machine alone
 *
 * Launchers learn their nodes from options, variables, the scheduler and files of their own. What
 * is found here is used to choose who stages; a wrong answer costs time, never correctness: what
 * ranks find on their node is judged there. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/job_run.h"
#include "launch/launcher_options.h"
#include "util/map.h"
#include "util/path.h"

/* Names of nodes, each once. */
struct hosts {
    struct lc_map names;
    bool is_here;    /* all so far are this machine */
    bool is_unknown; /* something names nodes in a way that is not understood here */
};

static bool host_is_here(const char *name)
{
    char own[256] = "";

    gethostname(own, sizeof(own) - 1);
    size_t n = strcspn(own, ".");
    return strcmp(name, "localhost") == 0 || strcmp(name, "127.0.0.1") == 0 ||
           strcmp(name, own) == 0 || (strncmp(name, own, n) == 0 && name[n] == '\0');
}

static void host_add(struct hosts *hosts, const char *name, size_t len)
{
    char host[256];

    if (len == 0 || len >= sizeof(host))
        return;
    memcpy(host, name, len);
    host[len] = '\0';
    hosts->is_here &= host_is_here(host);
    hosts->is_unknown |= !lc_map_object(&hosts->names, host, 1);
}

/* "n1:8,n2" */
static void list_add(struct hosts *hosts, const char *list)
{
    for (const char *p = list; p && *p;) {
        size_t n = strcspn(p, ",");
        host_add(hosts, p, strcspn(p, ":,"));
        p += n + (p[n] == ',');
    }
}

/* One host per line, which may be followed by anything. False if the file cannot be read. */
static bool file_add(struct hosts *hosts, const char *file)
{
    char line[512];
    FILE *f = fopen(file, "re");

    while (f && fgets(line, sizeof(line), f)) {
        const char *at = line + strspn(line, " \t");
        if (*at != '#')
            host_add(hosts, at, strcspn(at, ": \t\r\n"));
    }
    if (!f)
        return false;
    fclose(f);
    return true;
}

static void given_file_add(struct hosts *hosts, const char *file)
{
    hosts->is_unknown |= !file || !file_add(hosts, file);
}

/* Does a file of settings name a file of hosts? */
static bool settings_name_hosts(const char *file)
{
    char line[512];
    FILE *f = fopen(file, "re");
    bool found = false;

    while (f && !found && fgets(line, sizeof(line), f)) {
        const char *at = line + strspn(line, " \t");
        found = *at != '#' && strstr(at, "hostfile");
    }
    if (f)
        fclose(f);
    return found;
}

/* Options of the line that name nodes. True if there is one. */
static bool options_add(struct hosts *hosts, const struct lc_launch_line *line)
{
    static const char lists[] = "-H -host --host -hosts --hosts";
    static const char files[] = "-hostfile --hostfile -machinefile --machinefile -f "
                                "-default-hostfile --default-hostfile";
    static const char others[] = "-rf -rankfile --rankfile -machine -rmk --app -app -configfile";
    int end = line->programs > 0 ? line->program[line->programs - 1] : line->options;
    bool any = false;

    for (int i = line->options; i < end; i++) {
        const char *word = line->argv[i], *value = line->argv[i + 1];
        int len = (int)strcspn(word, "=");
        if (word[len] == '=')
            value = word + len + 1;
        bool is_list = lc_option_list_has(lists, word, len);
        bool is_file = lc_option_list_has(files, word, len);
        if (is_list)
            list_add(hosts, value);
        if (is_file)
            given_file_add(hosts, value);
        hosts->is_unknown |=
            lc_option_list_has(others, word, len) || strstr(word, "default_hostfile");
        any |= is_list || is_file;
    }
    return any;
}

static bool variables_add(struct hosts *hosts, const struct lc_launch_line *line)
{
    static const char *const openmpi[] = {"OMPI_MCA_orte_default_hostfile",
                                          "PRTE_MCA_prte_default_hostfile", NULL};
    static const char *const hydra[] = {"HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE", NULL};
    static const char *const schedulers[] = {"PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE",
                                             "COBALT_NODEFILE", NULL};
    const char *const *const all[] = {line->launcher == LC_LAUNCHER_OPENMPI ? openmpi : hydra,
                                      schedulers};

    for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++)
        for (const char *const *name = all[k]; *name; name++)
            if (getenv(*name) && *getenv(*name)) {
                given_file_add(hosts, getenv(*name));
                return true;
            }
    return false;
}

/* Files that Open MPI reads by itself. */
static void settings_add(struct hosts *hosts)
{
    char own[PATH_MAX];
    const char *home = getenv("HOME");

    snprintf(own, sizeof(own), "%s/.openmpi/mca-params.conf", home ? home : "");
    hosts->is_unknown |=
        settings_name_hosts(own) || settings_name_hosts("/etc/openmpi/openmpi-mca-params.conf");
    file_add(hosts, "/etc/openmpi/openmpi-default-hostfile");
}

/* Does this process run on the only node of its Slurm job? A login node, where salloc runs, is
 * none. */
static bool slurm_is_here(long nodes)
{
    const char *node = getenv("SLURMD_NODENAME"), *list = getenv("SLURM_JOB_NODELIST");

    return nodes == 1 && node && list && strcmp(node, list) == 0;
}

static long mpiexec_count(const struct lc_launch_line *line, bool *is_here)
{
    struct hosts hosts = {.is_here = true};
    long nodes = lc_compose_slurm_nodes();

    if (!options_add(&hosts, line) && !variables_add(&hosts, line)) {
        if (nodes > 0) {
            *is_here = slurm_is_here(nodes) && !hosts.is_unknown;
            return hosts.is_unknown ? 0 : nodes;
        }
        if (line->launcher == LC_LAUNCHER_OPENMPI)
            settings_add(&hosts);
    }
    nodes = hosts.names.count > 0 ? (long)hosts.names.count : 1;
    *is_here = hosts.is_here && !hosts.is_unknown;
    lc_map_free(&hosts.names, free);
    return hosts.is_unknown ? 0 : nodes;
}

long lc_line_count_nodes(const struct lc_launch_line *line, bool *is_here)
{
    struct lc_argv words = {0};
    struct lc_error err;
    long nodes = lc_compose_slurm_nodes();

    *is_here = false;
    switch (line->launcher) {
    case LC_LAUNCHER_OPENMPI:
    case LC_LAUNCHER_HYDRA:
        return mpiexec_count(line, is_here);
    case LC_LAUNCHER_SRUN:
        *is_here = slurm_is_here(nodes);
        return nodes;
    case LC_LAUNCHER_NONE:
        *is_here =
            slurm_is_here(nodes) || (lc_compose_allocation(&words, &err) == 0 && words.count == 0);
        lc_argv_free(&words);
        return *is_here ? 1 : nodes;
    default:
        return 0;
    }
}
