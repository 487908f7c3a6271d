/* SPDX-License-Identifier: MIT */
/* pilot_no_ptrace.c - run the pilot where ptrace is forbidden
 *
 * The program is an ordinary child that logs its own calls. The pilot ends when this child ends;
 * processes that it leaves behind are not waited for. */
#include "record/pilot_no_ptrace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/signals.h"
#include "util/clock.h"
#include "util/path.h"

/* Size of the call log, and since when it has not grown. */
struct quiet {
    off_t bytes;
    uint64_t since_ns;
};

static const double PATIENCE_S = 2; /* between SIGTERM and SIGKILL */

/* Executes the program. If that fails, errno is written to the pipe 'report'; else exec closes it.
 */
static _Noreturn void run_child(const struct lc_pilot *pilot, const char *program, int report)
{
    lc_signals_restore_in_child();
    if (pilot->group)
        setpgid(0, pilot->group);
    execv(program, pilot->argv);
    int code = errno;
    ssize_t sent = write(report, &code, sizeof(code));
    _exit(sent > 0 ? LC_EXIT_NOT_EXECUTABLE : LC_EXIT_SELF);
}

static int program_start(struct lc_pilot *pilot, const char *program, struct lc_error *err)
{
    int report[2], code = 0;

    if (pipe2(report, O_CLOEXEC) < 0 || (pilot->program = fork()) < 0)
        return lc_error_errno(err, "cannot start '%s'", program);
    if (pilot->program == 0)
        run_child(pilot, program, report[1]);
    close(report[1]);
    while (read(report[0], &code, sizeof(code)) < 0 && errno == EINTR)
        ;
    close(report[0]);
    if (code == 0)
        return 0;
    waitpid(pilot->program, NULL, 0);
    errno = code;
    return lc_error_errno(err, "cannot run '%s'", pilot->argv[0]);
}

/* Has --for passed, or has the program been quiet for settle_s? Called 20 times a second. */
static bool is_time_over(const struct lc_pilot *pilot, uint64_t begin_ns, struct quiet *quiet)
{
    uint64_t now_ns = lc_clock_ns();
    off_t told = lc_pilot_logged_bytes(pilot);

    if (told != quiet->bytes)
        *quiet = (struct quiet){told, now_ns};
    if (pilot->for_s > 0 && (double)(now_ns - begin_ns) / 1e9 > pilot->for_s)
        return true;
    return pilot->settle_s > 0 && quiet->bytes > 0 &&
           (double)(now_ns - quiet->since_ns) / 1e9 > pilot->settle_s;
}

/* Waits for the program. True if it has ended; false if a signal interrupted the wait. */
static bool has_ended(struct lc_pilot *pilot, int flags)
{
    int status = 0;
    pid_t pid = waitpid(pilot->program, &status, flags);

    if (pid == 0 || (pid < 0 && errno == EINTR))
        return false;
    pilot->outcome.status = pid > 0 ? status : 0;
    pilot->outcome.is_running = false;
    return true;
}

static void end_program(struct lc_pilot *pilot, uint64_t started_ns)
{
    uint64_t begin_ns = lc_clock_ns();

    pilot->outcome.was_ended = true;
    pilot->outcome.had_enough =
        !(pilot->for_s > 0 && (double)(begin_ns - started_ns) / 1e9 > pilot->for_s);
    kill(pilot->program, SIGTERM);
    while (!has_ended(pilot, 0)) /* interrupted by the tick */
        if ((double)(lc_clock_ns() - begin_ns) / 1e9 > PATIENCE_S)
            kill(pilot->program, SIGKILL);
}

int lc_pilot_run_no_ptrace(struct lc_pilot *pilot, struct lc_error *err)
{
    char program[PATH_MAX];
    uint64_t begin = lc_clock_ns();
    struct quiet quiet = {0, begin};

    pilot->outcome = (struct lc_trace_outcome){.is_running = true};
    if (lc_path_find_program(program, sizeof(program), pilot->argv[0], err) < 0)
        return -1;
    lc_signals_begin(NULL);
    if (program_start(pilot, program, err) < 0) {
        lc_signals_end();
        return -1;
    }
    lc_signals_forward_to(pilot->program);
    while (!has_ended(pilot, 0)) { /* a tick interrupts it, 20 times a second */
        if (is_time_over(pilot, begin, &quiet)) {
            pilot->outcome.is_partial = true;
            break;
        }
    }
    if (pilot->outcome.is_running && pilot->ends_program)
        end_program(pilot, begin);
    pilot->outcome.wall_s = (double)(lc_clock_ns() - begin) / 1e9;
    if (!pilot->outcome.is_running)
        lc_signals_forward_to(0);
    return 0;
}

int lc_pilot_wait_no_ptrace(struct lc_pilot *pilot)
{
    while (pilot->outcome.is_running)
        has_ended(pilot, 0);
    return pilot->outcome.status;
}
