/* SPDX-License-Identifier: MIT */
/* collect_run.c - open the collector, run the launcher, convert the ranks' times to our clock */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/collect_private.h"
#include "util/clock.h"
#include "util/map.h"
#include "util/syscalls.h"

int lc_collect_watch(struct lc_collect *collect, int fd, uint64_t which)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = which};

    return epoll_ctl(collect->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

void lc_collect_unwatch(struct lc_collect *collect, int *fd)
{
    if (*fd < 0)
        return;
    epoll_ctl(collect->epoll_fd, EPOLL_CTL_DEL, *fd, NULL);
    close(*fd);
    *fd = -1;
}

void lc_collect_accept(struct lc_collect *collect)
{
    int fd = accept4(collect->listen_fd, NULL, NULL, SOCK_CLOEXEC), one = 1;
    size_t i = collect->reports;

    if (fd < 0)
        return;
    if (i >= (size_t)collect->ranks + LC_COLLECT_STRANGERS ||
        lc_collect_watch(collect, fd, i) < 0) {
        close(fd);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    collect->report[i] = (struct lc_rank_report){.rank = -1, .status = -1};
    collect->connection[i] = (struct lc_connection){.fd = fd, .report = &collect->report[i]};
    collect->reports++;
}

static struct rlimit given; /* the original limit, which launchers and ranks get */

/* Raises the limit of open files: each rank needs a descriptor. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    if (given.rlim_max == 0)
        given = limit;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int lc_collect_open(struct lc_collect *collect, long ranks, bool only_here, struct lc_error *err)
{
    size_t slots = (size_t)ranks + LC_COLLECT_STRANGERS;

    *collect = (struct lc_collect){
        .ranks = ranks, .listen_fd = -1, .epoll_fd = -1, .said_fd = -1, .pid_fd = -1};
    collect->report = calloc(slots, sizeof(*collect->report));
    collect->connection = calloc(slots, sizeof(*collect->connection));
    raise_file_limit();
    if (!collect->report || !collect->connection || lc_collect_listen(collect, only_here) < 0) {
        lc_error_errno(err, "cannot listen for %ld ranks", ranks);
        lc_collect_close(collect);
        return -1;
    }
    return 0;
}

void lc_collect_close(struct lc_collect *collect)
{
    int *const fd[] = {&collect->listen_fd, &collect->epoll_fd, &collect->said_fd,
                       &collect->pid_fd};

    for (size_t i = 0; i < sizeof(fd) / sizeof(*fd); i++)
        if (*fd[i] >= 0)
            close(*fd[i]);
    for (size_t i = 0; i < collect->reports; i++) {
        free(collect->report[i].mark);
        free(collect->report[i].text);
    }
    free(collect->report);
    free(collect->connection);
    lc_buf_free(&collect->said);
    *collect = (struct lc_collect){.listen_fd = -1, .epoll_fd = -1, .said_fd = -1, .pid_fd = -1};
}

static void exec_launcher(const struct lc_argv *launcher, int out, bool outlives_us)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    setpgid(0, 0);
    if (!outlives_us)
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    setrlimit(RLIMIT_NOFILE, &given);
    signal(SIGPIPE, SIG_DFL);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execvp(launcher->item[0], launcher->item);
    dprintf(STDERR_FILENO, "cannot execute '%s': %s\n", launcher->item[0], strerror(errno));
    _exit(127);
}

int lc_collect_start(struct lc_collect *collect, const struct lc_argv *launcher,
                     struct lc_error *err)
{
    int out[2];

    snprintf(collect->launcher_name, sizeof(collect->launcher_name), "%.120s", launcher->item[0]);
    if (launcher->failed || pipe2(out, O_CLOEXEC) < 0)
        return lc_error_errno(err, "cannot start '%s'", launcher->item[0]);
    collect->launch_wall_ns = (int64_t)lc_clock_wall_ns();
    collect->launch_ns = (int64_t)lc_clock_ns();
    collect->pid = vfork(); /* fork would copy our page tables, which takes as long as a phase */
    if (collect->pid == 0)
        exec_launcher(launcher, out[1], collect->is_hold);
    close(out[1]);
    if (collect->pid < 0) {
        close(out[0]);
        return lc_error_errno(err, "cannot start '%s'", launcher->item[0]);
    }
    setpgid(collect->pid, collect->pid);
    collect->said_fd = out[0];
    collect->pid_fd = (int)syscall(SYS_pidfd_open, collect->pid, 0);
    lc_collect_watch(collect, out[0], LC_EVENT_SAID);
    if (collect->pid_fd < 0 || lc_collect_watch(collect, collect->pid_fd, LC_EVENT_ENDED) < 0)
        return lc_error_errno(err, "cannot watch '%s' (Linux 5.3 or later is needed)",
                              launcher->item[0]);
    return 0;
}

/* Ends all processes of the run. A launcher that gets SIGTERM ends its ranks on other hosts; they
 * also end when they lose the connection. */
void lc_collect_end_all(struct lc_collect *collect)
{
    if (collect->pid_fd >= 0) {
        kill(-collect->pid, SIGTERM);
        for (int i = 0; i < 200; i++) {
            if (waitpid(collect->pid, &collect->launcher_status, WNOHANG) == collect->pid) {
                lc_collect_unwatch(collect, &collect->pid_fd);
                break;
            }
            usleep(10000);
        }
    }
    kill(-collect->pid, SIGKILL);
    if (collect->pid_fd >= 0)
        waitpid(collect->pid, &collect->launcher_status, 0);
    lc_collect_unwatch(collect, &collect->pid_fd);
    lc_collect_unwatch(collect, &collect->said_fd);
    for (size_t i = 0; i < collect->reports; i++)
        if (collect->connection[i].fd >= 0)
            close(collect->connection[i].fd);
}

static int compare_ranks(const void *a, const void *b)
{
    const struct lc_rank_report *x = a, *y = b;

    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Sorts the reports by rank and removes connections that are not ranks. Ranks without a number come
 * last, in the order in which they connected. */
static void reports_sort(struct lc_collect *collect)
{
    size_t kept = 0;

    for (size_t i = 0; i < collect->reports; i++) {
        lc_buf_free(&collect->connection[i].in);
        if (!collect->connection[i].is_known)
            continue;
        collect->report[kept] = collect->report[i];
        if (collect->report[kept].rank < 0)
            collect->report[kept].rank = collect->ranks + (long)kept;
        kept++;
    }
    collect->reports = kept;
    qsort(collect->report, kept, sizeof(*collect->report), compare_ranks);
}

/* Ranks of one host share its clock: the measurement with the shortest round trip is used for all.
 */
static void find_best_clocks(const struct lc_collect *collect, struct lc_map *best)
{
    for (size_t i = 0; i < collect->reports; i++) {
        void **at = lc_map_at(best, collect->report[i].host);
        struct lc_rank_report *so_far = at ? *at : NULL;
        if (at && (!so_far ||
                   (collect->report[i].rtt_ns > 0 && collect->report[i].rtt_ns < so_far->rtt_ns)))
            *at = &collect->report[i];
    }
}

static void convert_to_our_clock(struct lc_collect *collect)
{
    struct lc_map best = {0};

    find_best_clocks(collect, &best);
    collect->nodes = (long)best.count;
    for (size_t i = 0; i < collect->reports; i++) {
        struct lc_rank_report *r = &collect->report[i];
        const struct lc_rank_report *of_host = lc_map_get(&best, r->host);
        int64_t offset = of_host ? of_host->offset_ns : r->offset_ns;
        r->begin_ns -= offset;
        r->spawn_ns -= offset;
        r->end_ns -= offset;
        for (size_t k = 0; k < r->marks; k++)
            r->mark[k].ns -= offset;
    }
    lc_map_free(&best, NULL);
}

/* The first line that is not only ruling ("-----"). */
static void first_text_line(const char *said, char *out, size_t size)
{
    size_t len = strcspn(said, "\n");

    while (*said && strspn(said, "-=*# \t") >= len) {
        said += len + (said[len] == '\n');
        len = strcspn(said, "\n");
    }
    snprintf(out, size, "%.*s", (int)len, said);
}

/* Sets the reason when ranks are missing: the launcher's status and its first message. */
static void reason_missing_ranks(struct lc_collect *collect)
{
    int status = collect->launcher_status;
    char words[240];

    first_text_line(lc_buf_text(&collect->said), words, sizeof(words));
    snprintf(collect->reason, sizeof(collect->reason),
             "the launcher ended with %d and only %zu of %ld ranks came%s%s",
             WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), collect->reports,
             collect->ranks, words[0] ? ": " : "", words);
}

/* The outcome of the run; collect->reason gets the first failure in one line. */
static enum lc_collected run_outcome(struct lc_collect *collect, bool is_late)
{
    if (lc_interrupted()) {
        snprintf(collect->reason, sizeof(collect->reason), "interrupted by signal %d",
                 lc_interrupted());
        return LC_COLLECTED_FAILED;
    }
    for (size_t i = 0; i < collect->reports; i++)
        if (collect->report[i].status > 0) {
            snprintf(collect->reason, sizeof(collect->reason), "rank %ld on %.200s ended with %d",
                     collect->report[i].rank, collect->report[i].host, collect->report[i].status);
            return LC_COLLECTED_FAILED;
        }
    for (size_t i = 0; i < collect->reports && !is_late; i++)
        if (collect->report[i].status < 0) {
            snprintf(collect->reason, sizeof(collect->reason), "rank %ld on %.200s was lost",
                     collect->report[i].rank, collect->report[i].host);
            return LC_COLLECTED_FAILED;
        }
    if (is_late) {
        snprintf(collect->reason, sizeof(collect->reason), "%zu of %ld ranks came, not all ended",
                 collect->reports, collect->ranks);
        return LC_COLLECTED_TIMEOUT;
    }
    if ((long)collect->reports < collect->ranks) {
        reason_missing_ranks(collect);
        return LC_COLLECTED_FAILED;
    }
    return LC_COLLECTED_DONE;
}

int lc_collect_run(struct lc_collect *collect, const struct lc_argv *launcher, double timeout_s,
                   enum lc_collected *outcome, struct lc_error *err)
{
    if (lc_collect_start(collect, launcher, err) < 0) {
        if (collect->pid > 0)
            lc_collect_end_all(collect);
        return -1;
    }
    int64_t deadline = collect->launch_ns + (int64_t)(timeout_s * 1e9);
    lc_collect_serve(collect, deadline);
    bool is_late = (int64_t)lc_clock_ns() >= deadline;
    lc_collect_end_all(collect);
    reports_sort(collect);
    convert_to_our_clock(collect);
    *outcome = run_outcome(collect, is_late);
    return 0;
}
