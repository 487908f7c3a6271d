/* SPDX-License-Identifier: MIT */
/* away.c - work on a database where SQLite's locks cannot be trusted */
#include "results/away.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/db.h"
#include "results/network.h"
#include "util/temporary.h"

/* Of a path to which names are put together; room is left for what is appended. */
enum { LONGEST = PATH_MAX - 64 };

static void read_line(const char *file, char *out, size_t size)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, out, size - 1);

    out[len > 0 ? (size_t)len : 0] = 0;
    out[strcspn(out, "\n")] = 0;
    if (fd >= 0)
        close(fd);
}

/* Was it left by a process of this host that is no more? Of other hosts nobody knows. */
static bool is_stale(const char *who, const char *host)
{
    long pid;
    char where[256];

    return sscanf(who, "process %ld on %255s", &pid, where) == 2 && strcmp(where, host) == 0 &&
           pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* Made by us alone; who holds it is written in it. */
static int take_lock(struct lc_away *a, struct lc_error *err)
{
    char host[256] = "", who[300] = "";

    gethostname(host, sizeof(host) - 1);
    for (int again = 0; again < 2; again++) {
        int fd = open(a->lock, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd >= 0) {
            dprintf(fd, "process %ld on %s\n", (long)getpid(), host);
            return close(fd);
        }
        if (errno != EEXIST)
            return lc_error_errno(err, "cannot lock '%s' by '%s'", a->file, a->lock);
        read_line(a->lock, who, sizeof(who));
        if (!is_stale(who, host))
            break;
        unlink(a->lock);
    }
    return lc_error_set(err,
                        "'%s' is being changed by %s; nothing was changed: wait for it, or if it "
                        "is dead remove '%s'",
                        a->file, *who ? who : "another process", a->lock);
}

static int copy_bytes(int in, int out)
{
    char block[65536];
    ssize_t len;

    while ((len = read(in, block, sizeof(block))) > 0)
        for (ssize_t done = 0, n; done < len; done += n)
            if ((n = write(out, block + done, (size_t)(len - done))) < 0)
                return -1;
    return len < 0 ? -1 : 0;
}

/* An absent source is an empty one. */
static int copy_file(const char *from, int out)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);

    if (in < 0)
        return errno == ENOENT ? 0 : -1;
    int rc = copy_bytes(in, out), saved = errno;
    close(in);
    errno = saved;
    return rc;
}

/* A directory of this node that can hold the copy. */
static int make_copy(struct lc_away *a, struct lc_error *err)
{
    const char *tmpdir = getenv("TMPDIR");
    const char *dirs[] = {tmpdir ? tmpdir : "/tmp", "/tmp", "/dev/shm"};

    for (size_t i = 0; i < 3; i++) {
        struct lc_temporary copy;
        char prefix[PATH_MAX];
        if (snprintf(prefix, LONGEST, "%s/loadcast-results", dirs[i]) >= LONGEST ||
            lc_network_holds(prefix) || lc_temporary_open(&copy, prefix) < 0)
            continue;
        int rc = copy_file(a->file, copy.fd);
        if (rc < 0)
            lc_error_errno(err, "cannot copy '%s' to '%s'", a->file, copy.path);
        else
            snprintf(a->copy, sizeof(a->copy), "%s", copy.path);
        close(copy.fd);
        if (rc < 0)
            unlink(copy.path);
        free(copy.path);
        return rc;
    }
    *a->copy = 0;
    return lc_error_set(err,
                        "cannot work on '%s': neither TMPDIR, /tmp nor /dev/shm is a local "
                        "file system that can be written",
                        a->file);
}

int lc_away_begin(struct lc_away *a, const char *file, struct lc_error *err)
{
    *a = (struct lc_away){.local = !lc_network_holds(file)};
    if ((size_t)snprintf(a->file, sizeof(a->file), "%s", file) >= LONGEST)
        return lc_error_set(err, "the database's path is too long");
    if (a->local) {
        a->results = lc_results_open(file, LC_RESULTS_WRITE, err);
        return a->results ? 0 : -1;
    }
    snprintf(a->lock, sizeof(a->lock), "%s.lock", file);
    if (take_lock(a, err) < 0)
        return -1;
    if (make_copy(a, err) == 0)
        a->results = lc_results_open(a->copy, LC_RESULTS_WRITE, err);
    if (a->results)
        return 0;
    lc_away_end(a, false, NULL);
    return -1;
}

static int put_back(const struct lc_away *a, struct lc_error *err)
{
    struct lc_temporary fresh;
    char prefix[PATH_MAX + 8];

    snprintf(prefix, sizeof(prefix), "%s.tmp", a->file);
    if (lc_temporary_open(&fresh, prefix) < 0)
        return lc_error_errno(err, "cannot write '%s'", prefix);
    int rc = copy_file(a->copy, fresh.fd) < 0 || fsync(fresh.fd) < 0
                 ? -1
                 : lc_temporary_publish(&fresh, a->file, 0666);
    lc_temporary_discard(&fresh);
    return rc < 0 ? lc_error_errno(err, "cannot write '%s' (what was there is kept)", a->file) : 0;
}

/* One file, without a log beside it. */
static int settle(struct lc_results *r, struct lc_error *err)
{
    return lc_db_exec(r, "PRAGMA journal_mode = DELETE") < 0 ? lc_db_fail(r, "write to", err) : 0;
}

static void remove_copy(const struct lc_away *a)
{
    char beside[PATH_MAX + 16];
    const char *const tail[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; *a->copy && i < 4; i++) {
        snprintf(beside, sizeof(beside), "%s%s", a->copy, tail[i]);
        unlink(beside);
    }
}

int lc_away_end(struct lc_away *a, bool keep, struct lc_error *err)
{
    int rc = 0;

    if (keep && !a->local)
        rc = settle(a->results, err);
    lc_results_close(a->results);
    if (a->local)
        return rc;
    if (keep && rc == 0)
        rc = put_back(a, err);
    remove_copy(a);
    unlink(a->lock);
    return rc;
}
