/* SPDX-License-Identifier: MIT */
/* request.c - the steps of every request: freeze switch, queue, counters, answer */
#include "stormfs/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/clock.h"

/* The request that this thread works on. */
static __thread struct {
    struct lc_storm_mount *mount;
    enum lc_op op;
    bool is_counted;
    enum lc_charge charge;
} current;

/* Waits until thawed, even if the client is killed meanwhile. */
static void thaw_wait(struct lc_server *server)
{
    while (lc_server_is_frozen(server))
        lc_server_wait_thaw(server);
}

void lc_request_arrived(struct lc_storm_mount *mount, enum lc_op op)
{
    current.mount = mount;
    current.op = op;
    current.is_counted = false;
    if (op == LC_OP_OTHER || op == LC_OP_STATX)
        thaw_wait(
            &mount->storm->server); /* libfuse answers these itself, without a handler of ours */
}

static void result_count(enum lc_result result)
{
    if (!current.is_counted)
        lc_counters_add(&current.mount->counters, current.op, result);
    current.is_counted = true;
}

void lc_request_done(void)
{
    result_count(LC_RESULT_ERROR);
}

/* Is SIGKILL pending for the client? (The kernel turns every fatal signal into SIGKILL.) A killed
 * client still waits for the answer of a request that the file system has received. */
static bool process_is_killed(pid_t pid)
{
    char path[40], line[128];
    unsigned long long pending = 0;

    snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
    FILE *in = pid > 0 ? fopen(path, "re") : NULL;
    if (!in)
        return false;
    while (fgets(line, sizeof(line), in))
        if (strncmp(line, "SigPnd:", 7) == 0)
            pending = strtoull(line + 7, NULL, 16);
    fclose(in);
    return pending & (1u << 8);
}

static bool thaw_wait_or_killed(fuse_req_t req)
{
    struct lc_server *server = &current.mount->storm->server;

    while (lc_server_is_frozen(server)) {
        lc_server_wait_thaw(server);
        if (fuse_req_interrupted(req) && process_is_killed(fuse_req_ctx(req)->pid))
            return false;
    }
    return true;
}

static void sleep_until(uint64_t when_ns)
{
    struct timespec ts = {(time_t)(when_ns / 1000000000), (long)(when_ns % 1000000000)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
        ;
}

/* What the request costs; asked only where it makes a difference. */
static enum lc_charge charge_of(struct lc_storm *storm, enum lc_op op, pid_t tid)
{
    if (storm->options->scale == 1 ||
        (!lc_op_is_charged(op) && op != LC_OP_READ && op != LC_OP_WRITE))
        return LC_CHARGE_SCALED;
    return lc_once_count(&storm->once, tid) ? LC_CHARGE_ONCE : LC_CHARGE_SCALED;
}

bool lc_request_begin(fuse_req_t req, enum lc_op op)
{
    struct lc_storm *storm = current.mount->storm;

    current.op = op;
    if (!thaw_wait_or_killed(req)) {
        result_count(LC_RESULT_ERROR);
        fuse_reply_err(req, EINTR);
        return false;
    }
    current.charge = charge_of(storm, op, fuse_req_ctx(req)->pid);
    if (lc_op_is_charged(op)) {
        uint64_t now_ns = lc_clock_ns();
        uint64_t done_ns =
            lc_server_charge(&storm->server, now_ns, current.charge) + storm->latency_ns;
        lc_histogram_add(&current.mount->server_time, done_ns - now_ns);
        if (done_ns > now_ns)
            sleep_until(done_ns);
    }
    return true;
}

void lc_request_transfer(fuse_req_t req, uint64_t bytes)
{
    struct lc_storm *storm = lc_request_mount(req)->storm;
    uint64_t now_ns = lc_clock_ns();
    uint64_t done_ns =
        lc_server_transfer(&storm->server, now_ns, bytes, current.charge) + storm->latency_ns;

    if (done_ns > now_ns)
        sleep_until(done_ns);
    lc_server_transfer_end(&storm->server, current.charge);
}

struct lc_storm_mount *lc_request_mount(fuse_req_t req)
{
    return fuse_req_userdata(req);
}

struct lc_inodes *lc_request_inodes(fuse_req_t req)
{
    return lc_request_mount(req)->storm->inodes;
}

struct lc_storm_inode *lc_request_inode(fuse_req_t req, fuse_ino_t ino)
{
    return lc_inodes_get(lc_request_inodes(req), ino);
}

/* Each answer is written between answer_begin and answer_end. While the server is frozen none is
 * written: 'freeze' waits until no thread is between the two ('answering' is 0). */
static void answer_begin(enum lc_result result)
{
    struct lc_storm *storm = current.mount->storm;

    result_count(result);
    atomic_fetch_add(&storm->answering, 1);
    while (lc_server_is_frozen(&storm->server)) {
        atomic_fetch_sub(&storm->answering, 1);
        lc_server_wait_thaw(&storm->server);
        atomic_fetch_add(&storm->answering, 1);
    }
}

static int answer_end(int rc)
{
    atomic_fetch_sub(&current.mount->storm->answering, 1);
    return rc;
}

int lc_reply_err(fuse_req_t req, int error)
{
    answer_begin(lc_result_of_errno(error));
    return answer_end(fuse_reply_err(req, error));
}

int lc_reply_result(fuse_req_t req, int rc)
{
    return lc_reply_err(req, rc < 0 ? errno : 0);
}

int lc_reply_entry(fuse_req_t req, const struct fuse_entry_param *e)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_entry(req, e));
}

int lc_reply_absent(fuse_req_t req, const struct fuse_entry_param *e)
{
    answer_begin(LC_RESULT_ABSENT);
    return answer_end(fuse_reply_entry(req, e));
}

int lc_reply_create(fuse_req_t req, const struct fuse_entry_param *e,
                    const struct fuse_file_info *fi)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_create(req, e, fi));
}

int lc_reply_attr(fuse_req_t req, const struct stat *st, double timeout_s)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_attr(req, st, timeout_s));
}

int lc_reply_readlink(fuse_req_t req, const char *target)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_readlink(req, target));
}

int lc_reply_open(fuse_req_t req, const struct fuse_file_info *fi)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_open(req, fi));
}

int lc_reply_buf(fuse_req_t req, const char *buf, size_t size)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_buf(req, buf, size));
}

int lc_reply_write(fuse_req_t req, size_t bytes)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_write(req, bytes));
}

int lc_reply_statfs(fuse_req_t req, const struct statvfs *st)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_statfs(req, st));
}

int lc_reply_xattr(fuse_req_t req, size_t size)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_xattr(req, size));
}

int lc_reply_lock(fuse_req_t req, const struct flock *lock)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_lock(req, lock));
}

int lc_reply_lseek(fuse_req_t req, off_t offset)
{
    answer_begin(LC_RESULT_OK);
    return answer_end(fuse_reply_lseek(req, offset));
}
