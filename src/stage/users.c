/* SPDX-License-Identifier: MIT */
/* users.c - the processes and jobs that use a node directory */
#include "stage/users.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One in so many registrations removes the files of dead processes: a job may start a million short
 * programs. */
enum { PRUNE_EVERY = 32 };

/* State of a process, from fields 3, 20 and 22 of /proc/PID/stat. */
struct life {
    bool is_over;   /* it has ended, and waits for its parent */
    uint64_t start; /* in clock ticks since boot; 0: unknown */
};

static struct life life_of(pid_t pid)
{
    char path[64], text[1024], state = '?';
    struct life life = {0};
    long threads = 0;
    snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

    if (f)
        fclose(f);
    text[n] = '\0';
    char *p = strrchr(text, ')'); /* the program's name before it may contain anything */
    if (p && sscanf(p + 1,
                    " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                    "%ld %*s %" SCNu64,
                    &state, &threads, &life.start) != 3)
        life.start = 0;
    /* The first thread may end before the others. */
    life.is_over = (state == 'Z' || state == 'X') && threads <= 1;
    return life;
}

bool lc_users_is_alive(pid_t pid)
{
    return (kill(pid, 0) == 0 || errno != ESRCH) && !life_of(pid).is_over;
}

/* The machine's own pid namespace, from which all processes are seen (linux/proc_ns.h). */
#define FIRST_NAMESPACE 0xEFFFFFFCu

/* The number of a process's pid namespace; 0 if unknown. */
static uint64_t namespace_of(const char *pid)
{
    char path[64];
    struct stat st;

    snprintf(path, sizeof(path), "/proc/%.20s/ns/pid", pid);
    return stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

static uint64_t namespace_here(void)
{
    return namespace_of("self");
}

/* Read process numbers, one per namespace from the outermost on. How many; *last is the last. */
static int numbers_read(const char *text, long *last)
{
    char *end;
    int count = 0;

    for (long n = strtol(text, &end, 10); end != text; n = strtol(text, &end, 10), count++) {
        *last = n;
        text = end;
    }
    return count;
}

/* Is it a process of this user with this number in an inner namespace? */
static bool process_is_inside(const char *pid, long number)
{
    char path[64], line[256];
    unsigned long uid = 0;
    long last = 0;
    int depth = 0;
    snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
    FILE *f = fopen(path, "re");

    while (f && fgets(line, sizeof(line), f)) {
        sscanf(line, "Uid: %*u %lu", &uid);
        if (strncmp(line, "NSpid:", 6) == 0)
            depth = numbers_read(line + 6, &last);
    }
    if (f)
        fclose(f);
    return depth > 1 && last == number && uid == (unsigned long)geteuid();
}

/* May a process of another namespace, such as a container's, be alive? Only the machine's own
 * namespace sees all processes; elsewhere the answer is yes. */
static bool process_is_alive_elsewhere(uint64_t space, long number)
{
    DIR *d = space != 0 && namespace_here() == FIRST_NAMESPACE ? opendir("/proc") : NULL;
    bool alive = !d;

    for (struct dirent *e; d && !alive && (e = readdir(d));)
        if (isdigit((unsigned char)e->d_name[0]) && process_is_inside(e->d_name, number)) {
            uint64_t its = namespace_of(e->d_name);
            alive = its == space || its == 0;
        }
    if (d)
        closedir(d);
    return alive;
}

void lc_users_job(char *out, size_t size)
{
    static const struct {
        const char *variable, *name;
    } scheduler[] = {
        {"SLURM_JOB_ID", "slurm"}, {"PBS_JOBID", "pbs"},       {"LSB_JOBID", "lsf"},
        {"FLUX_JOB_ID", "flux"},   {"COBALT_JOBID", "cobalt"}, {"JOB_ID", "sge"},
    };

    out[0] = '\0';
    for (size_t i = 0; i < sizeof(scheduler) / sizeof(*scheduler); i++) {
        const char *id = getenv(scheduler[i].variable);
        if (!id || !*id)
            continue;
        snprintf(out, size, "%s-%s", scheduler[i].name, id);
        for (char *p = out; *p; p++)
            *p = isalnum((unsigned char)*p) || *p == '-' || *p == '.' ? *p : '_';
        return;
    }
}

static int file_leave(int users, const char *name)
{
    int fd = openat(users, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0)
        return -1;
    futimens(fd, NULL); /* the time of a job's file is that of its last process */
    close(fd);
    return 0;
}

static int users_open(int node_fd)
{
    return openat(node_fd, "users", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Is the process of this file ("p" or "t") alive? *is_here: *pid is its number in this namespace.
 */
static bool process_is_alive(const char *name, pid_t *pid, bool *is_here)
{
    uint64_t start, space;
    long number;

    if (sscanf(name, "%*1[pt].%ld.%" SCNu64 ".%" SCNu64, &number, &start, &space) != 3 ||
        number <= 0)
        return false;
    *pid = (pid_t)number;
    *is_here = space == namespace_here();
    if (!*is_here)
        return process_is_alive_elsewhere(space, number);
    if (kill(*pid, 0) < 0 && errno == ESRCH)
        return false;
    struct life now = life_of(*pid);
    return !now.is_over && (start == 0 || now.start == 0 || now.start == start);
}

/* Remove the files of dead processes. Closes 'users'. */
static void dead_remove(int users)
{
    DIR *d = fdopendir(users);
    bool is_here;
    pid_t pid;

    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, "p.", 2) == 0 && !process_is_alive(e->d_name, &pid, &is_here))
            unlinkat(users, e->d_name, 0);
    if (d)
        closedir(d);
    else
        close(users);
}

/* The name of this process's file of a kind. */
static void own_name(char *out, size_t size, char kind)
{
    snprintf(out, size, "%c.%ld.%" PRIu64 ".%" PRIu64, kind, (long)getpid(),
             life_of(getpid()).start, namespace_here());
}

int lc_users_register(int node_fd)
{
    char name[128], job[64];
    int users = users_open(node_fd);

    if (users < 0)
        return -1;
    own_name(name, sizeof(name), 'p');
    int rc = file_leave(users, name);
    lc_users_job(job, sizeof(job));
    snprintf(name, sizeof(name), "j.%s", job);
    if (rc == 0 && job[0])
        rc = file_leave(users, name);
    int saved = errno;
    if (getpid() % PRUNE_EVERY == 0)
        dead_remove(users);
    else
        close(users);
    errno = saved;
    return rc;
}

/* Does a process have something from below 'path' mapped? */
static bool process_has_mapped(const char *pid, const char *path)
{
    char file[64], line[8192];
    bool found = false;
    snprintf(file, sizeof(file), "/proc/%.20s/maps", pid);
    FILE *f = fopen(file, "re");
    size_t n = strlen(path);

    while (f && !found && fgets(line, sizeof(line), f)) {
        const char *at = strchr(line, '/');
        found = at && strncmp(at, path, n) == 0 && at[n] == '/';
    }
    if (f)
        fclose(f);
    return found;
}

/* Does the process see another directory at that path, in a mount namespace of its own? If it does
 * not see the path at all, it may have mapped files of it earlier. */
static bool process_sees_another(const char *pid, const struct stat *here, const char *path)
{
    char its[PATH_MAX];
    struct stat there;

    snprintf(its, sizeof(its), "/proc/%.20s/root%s", pid, path);
    return stat(its, &there) == 0 && (here->st_dev != there.st_dev || here->st_ino != there.st_ino);
}

static void mapped_count(struct lc_users *users, int node_fd, const char *path)
{
    DIR *d = opendir("/proc");
    struct stat st, here;
    bool is_known = fstat(node_fd, &here) == 0;

    for (struct dirent *e; d && (e = readdir(d));) {
        long pid = strtol(e->d_name, NULL, 10);
        if (pid <= 0 || pid == (long)getpid() || pid == (long)users->one ||
            fstatat(dirfd(d), e->d_name, &st, 0) < 0 || st.st_uid != geteuid())
            continue;
        /* In this order: if the maps were read first, the process might change its root between. */
        if (!(is_known && process_sees_another(e->d_name, &here, path)) &&
            process_has_mapped(e->d_name, path)) {
            users->processes++;
            users->one = (pid_t)pid;
        }
    }
    if (d)
        closedir(d);
}

static void file_count(struct lc_users *users, int fd, const char *name)
{
    char mine[64];
    bool is_here = false;
    pid_t pid;

    lc_users_job(mine, sizeof(mine));
    users->is_transient |= name[0] == 't';
    if (name[0] == 'j' && strcmp(name + 2, mine) != 0) {
        users->jobs++;
        snprintf(users->job, sizeof(users->job), "%s", name + 2);
    } else if (name[0] == 'p') {
        if (!process_is_alive(name, &pid, &is_here)) {
            unlinkat(fd, name, 0);
        } else if (!is_here || pid != getpid()) {
            users->processes++;
            users->one = pid;
        }
    }
}

struct lc_users lc_users_count(int node_fd, const char *path)
{
    struct lc_users users = {0};
    struct stat st;
    int fd = users_open(node_fd);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    if (d && fstat(fd, &st) == 0)
        users.idle_s = difftime(time(NULL), st.st_mtime);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' && e->d_name[1] == '.')
            file_count(&users, fd, e->d_name);
    /* Removing files has changed the directory's time, which tells of its last use: set it back. */
    if (d && users.idle_s > 0)
        futimens(fd, (struct timespec[]){st.st_atim, st.st_mtim});
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    if (users.processes == 0 && path)
        mapped_count(&users, node_fd, path);
    return users;
}

void lc_users_leave(int node_fd)
{
    char name[128];
    int users = users_open(node_fd);

    own_name(name, sizeof(name), 'p');
    if (users >= 0) {
        unlinkat(users, name, 0);
        close(users);
    }
}

int lc_users_set_janitor(int node_fd)
{
    char name[128];
    int users = users_open(node_fd);
    int fd = users < 0 ? -1 : dup(users);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, "t.", 2) == 0)
            unlinkat(users, e->d_name, 0);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    own_name(name, sizeof(name), 't');
    int rc = users < 0 ? -1 : file_leave(users, name), saved = errno;
    if (users >= 0)
        close(users);
    errno = saved;
    return rc;
}

bool lc_users_is_janitor(int node_fd)
{
    char name[128];
    int users = users_open(node_fd);

    own_name(name, sizeof(name), 't');
    bool is = users >= 0 && faccessat(users, name, F_OK, 0) == 0;
    if (users >= 0)
        close(users);
    return is;
}

bool lc_users_has_janitor(int node_fd)
{
    int users = users_open(node_fd);
    DIR *d = users < 0 ? NULL : fdopendir(users);
    bool is_here, found = false;
    pid_t pid;

    for (struct dirent *e; d && !found && (e = readdir(d));)
        found = strncmp(e->d_name, "t.", 2) == 0 && process_is_alive(e->d_name, &pid, &is_here);
    if (d)
        closedir(d);
    else if (users >= 0)
        close(users);
    return found;
}

void lc_users_end_job(int node_fd)
{
    char name[128], job[64];
    int users = users_open(node_fd);

    lc_users_job(job, sizeof(job));
    snprintf(name, sizeof(name), "j.%s", job);
    if (users >= 0 && job[0])
        unlinkat(users, name, 0);
    if (users >= 0)
        close(users);
}

unsigned lc_users_end_others(int node_fd, bool (*is_over)(const char *job))
{
    char mine[64];
    unsigned ended = 0;
    int users = users_open(node_fd);
    DIR *d = users < 0 ? NULL : fdopendir(users);

    lc_users_job(mine, sizeof(mine));
    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, "j.", 2) == 0 && strcmp(e->d_name + 2, mine) != 0 &&
            is_over(e->d_name + 2))
            ended += unlinkat(users, e->d_name, 0) == 0;
    if (d)
        closedir(d);
    else if (users >= 0)
        close(users);
    return ended;
}
