/* SPDX-License-Identifier: MIT */
/* local_copy.c - change a database on a network file system */
#include "results/local_copy.h"

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

/* The longest path that is accepted: PATH_MAX less room for the endings that are appended. */
enum { LONGEST = PATH_MAX - 64 };

static void line_read(const char *file, char *out, size_t size)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, out, size - 1);

    out[len > 0 ? (size_t)len : 0] = 0;
    out[strcspn(out, "\n")] = 0;
    if (fd >= 0)
        close(fd);
}

/* Was the lock left by a process of this host that no longer exists? A lock of another host is
 * never stale, as its processes cannot be checked from here. */
static bool lock_is_stale(const char *who, const char *host)
{
    long pid;
    char where[256];

    return sscanf(who, "process %ld on %255s", &pid, where) == 2 && strcmp(where, host) == 0 &&
           pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* Creates the lock file, in which process and host of the holder are written. -1 with err filled if
 * another process holds it. */
static int lock_take(struct lc_local_copy *a, struct lc_error *err)
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
        line_read(a->lock, who, sizeof(who));
        if (!lock_is_stale(who, host))
            break;
        unlink(a->lock);
    }
    return lc_error_set(err,
                        "'%s' is being changed by %s; nothing was changed: wait for it, or if it "
                        "is dead remove '%s'",
                        a->file, *who ? who : "another process", a->lock);
}

static int bytes_copy(int in, int out)
{
    char block[65536];
    ssize_t len;

    while ((len = read(in, block, sizeof(block))) > 0)
        for (ssize_t done = 0, n; done < len; done += n)
            if ((n = write(out, block + done, (size_t)(len - done))) < 0)
                return -1;
    return len < 0 ? -1 : 0;
}

/* Copies the content of 'from'; if that does not exist, nothing. */
static int file_copy(const char *from, int out)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);

    if (in < 0)
        return errno == ENOENT ? 0 : -1;
    int rc = bytes_copy(in, out), saved = errno;
    close(in);
    errno = saved;
    return rc;
}

/* Copies the database into the first local directory that can be written: TMPDIR, /tmp, /dev/shm.
 */
static int copy_make(struct lc_local_copy *a, struct lc_error *err)
{
    const char *tmpdir = getenv("TMPDIR");
    const char *dirs[] = {tmpdir ? tmpdir : "/tmp", "/tmp", "/dev/shm"};

    for (size_t i = 0; i < 3; i++) {
        struct lc_temporary copy;
        char prefix[PATH_MAX];
        if (snprintf(prefix, LONGEST, "%s/loadcast-results", dirs[i]) >= LONGEST ||
            lc_network_has_file(prefix) || lc_temporary_open(&copy, prefix) < 0)
            continue;
        int rc = file_copy(a->file, copy.fd);
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

int lc_local_copy_begin(struct lc_local_copy *a, const char *file, struct lc_error *err)
{
    *a = (struct lc_local_copy){.local = !lc_network_has_file(file)};
    if ((size_t)snprintf(a->file, sizeof(a->file), "%s", file) >= LONGEST)
        return lc_error_set(err, "the database's path is too long");
    if (a->local) {
        a->results = lc_results_open(file, LC_RESULTS_WRITE, err);
        return a->results ? 0 : -1;
    }
    snprintf(a->lock, sizeof(a->lock), "%s.lock", file);
    if (lock_take(a, err) < 0)
        return -1;
    if (copy_make(a, err) == 0)
        a->results = lc_results_open(a->copy, LC_RESULTS_WRITE, err);
    if (a->results)
        return 0;
    lc_local_copy_end(a, false, NULL);
    return -1;
}

static int copy_put_back(const struct lc_local_copy *a, struct lc_error *err)
{
    struct lc_temporary fresh;
    char prefix[PATH_MAX + 8];

    snprintf(prefix, sizeof(prefix), "%s.tmp", a->file);
    if (lc_temporary_open(&fresh, prefix) < 0)
        return lc_error_errno(err, "cannot write '%s'", prefix);
    int rc = file_copy(a->copy, fresh.fd) < 0 || fsync(fresh.fd) < 0
                 ? -1
                 : lc_temporary_publish(&fresh, a->file, 0666);
    lc_temporary_discard(&fresh);
    return rc < 0 ? lc_error_errno(err, "cannot write '%s' (what was there is kept)", a->file) : 0;
}

/* Writes the write-ahead log into the database, so that it is a single file. */
static int wal_close(struct lc_results *r, struct lc_error *err)
{
    return lc_db_exec(r, "PRAGMA journal_mode = DELETE") < 0 ? lc_db_fail(r, "write to", err) : 0;
}

static void copy_remove(const struct lc_local_copy *a)
{
    char beside[PATH_MAX + 16];
    const char *const tail[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; *a->copy && i < 4; i++) {
        snprintf(beside, sizeof(beside), "%s%s", a->copy, tail[i]);
        unlink(beside);
    }
}

int lc_local_copy_end(struct lc_local_copy *a, bool keep, struct lc_error *err)
{
    int rc = 0;

    if (keep && !a->local)
        rc = wal_close(a->results, err);
    lc_results_close(a->results);
    if (a->local)
        return rc;
    if (keep && rc == 0)
        rc = copy_put_back(a, err);
    copy_remove(a);
    unlink(a->lock);
    return rc;
}
