/* SPDX-License-Identifier: MIT */
/* pilot.c - run the program once and record what it uses */
#include "record/pilot.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "node/bindings_log.h"
#include "node/call_lines.h"
#include "node/call_log.h"
#include "node/format.h"
#include "record/bindings.h"
#include "record/call_lines.h"
#include "record/fit.h"
#include "record/pilot_no_ptrace.h"
#include "trace/log.h"
#include "util/clock.h"
#include "util/own_path.h"
#include "util/path.h"
#include "util/temporary.h"

/* Lines in memory take at most one part in so many of what is free. */
enum { LINES_SHARE = 16 };

/* Finds one of our shared objects: in a subdirectory of the build, or beside our own program. */
static void find_object(char *out, size_t size, const char *in_build)
{
    char self[PATH_MAX];
    const char *const places[] = {in_build, lc_path_base(in_build)};
    struct lc_error ignored;

    for (size_t i = 0; i < 2 && lc_own_directory(self, &ignored) == 0; i++) {
        if ((size_t)snprintf(out, size, "%s/%s", self, places[i]) < size && access(out, R_OK) == 0)
            return;
    }
    out[0] = '\0';
}

static void find_objects(struct lc_pilot *pilot)
{
    find_object(pilot->audit, sizeof(pilot->audit), "src/client/audit/loadcast-record.so");
    if (pilot->no_ptrace)
        find_object(pilot->notes, sizeof(pilot->notes), "src/client/pilot/" LC_PILOT_OBJECT);
    if (pilot->no_bindings)
        return;
    find_object(pilot->capture, sizeof(pilot->capture), "src/client/bindings/loadcast-bindings.so");
    find_object(pilot->preload, sizeof(pilot->preload), "preload.so");
}

/* Why the user's own run is to be left alone; NULL: it is not. Only a dynamic program takes our
 * variables out of its environment. A static one would show them, and hand them on; and of a file
 * that cannot be read, or that the kernel knows to start by other means (binfmt_misc), nothing is
 * known. */
static const char *why_not_in_place(const struct lc_pilot *pilot, const struct lc_record_fit *fit)
{
    if (fit->is_privileged)
        return "it has rights of its own";
    if (!fit->is_dynamic)
        return "it is not known to be a dynamic program of glibc for this machine";
    if (!pilot->is_measured_inside && !fit->is_measured)
        return "what it loads could not be measured";
    return NULL;
}

/* A program that could not start with our objects runs without them. */
static int choose_objects(struct lc_pilot *pilot, struct lc_error *err)
{
    struct lc_record_fit fit =
        lc_record_fit(pilot->argv[0], pilot->is_measured_inside ? NULL : pilot->audit);

    const char *why_not = pilot->in_place ? why_not_in_place(pilot, &fit) : NULL;
    if (why_not)
        return lc_error_set(err, "cannot watch '%s': %s", pilot->argv[0], why_not);
    pilot->why_no_objects = fit.why_not;
    lc_record_fit_set(&fit);
    lc_seen_add_tls(pilot->seen, fit.tls_bytes);
    if (!fit.why_not)
        return 0;
    if (pilot->no_ptrace)
        return lc_error_set(err, "cannot record '%s' without ptrace: %s", pilot->argv[0],
                            fit.why_not);
    pilot->audit[0] = pilot->capture[0] = pilot->preload[0] = '\0';
    return 0;
}

static const char *log_dir(const struct lc_pilot *pilot)
{
    const char *tmp = getenv("TMPDIR");

    return pilot->log_dir ? pilot->log_dir : tmp && *tmp == '/' ? tmp : "/tmp";
}

/* Makes a private log file, to which the pilot's processes append. Its descriptor, or -1. */
static int make_log(const struct lc_pilot *pilot, char *out, size_t size, const char *name)
{
    struct lc_temporary log;
    char prefix[4000];

    out[0] = '\0';
    snprintf(prefix, sizeof(prefix), "%s/loadcast-%s", log_dir(pilot), name);
    if (lc_temporary_open(&log, prefix) < 0)
        return -1;
    snprintf(out, size, "%s", log.path);
    free(log.path);
    return log.fd;
}

static void make_search_log(struct lc_pilot *pilot)
{
    int fd = make_log(pilot, pilot->search, sizeof(pilot->search), "search");

    if (fd >= 0)
        close(fd);
}

/* The memory is the user's, and is in use until the last of the program's processes has ended. */
static bool has_ample_space(const struct statfs *fs)
{
    return (uint64_t)fs->f_bavail * (uint64_t)fs->f_bsize >=
           (uint64_t)LINES_SHARE * LC_CALL_LINES_MOST;
}

/* Where lines are written without a system call, if that can be had. On a disk it is no gain: there
 * the first write to a page takes longer, and allocating waits for the journal. */
static void make_lines(struct lc_pilot *pilot)
{
    int n = snprintf(pilot->lines, sizeof(pilot->lines), "%s%s", pilot->calls, LC_CALL_LINES);
    struct statfs fs;

    if (n >= (int)sizeof(pilot->lines) || statfs(pilot->calls, &fs) < 0 ||
        fs.f_type != TMPFS_MAGIC || !has_ample_space(&fs) || !lc_call_lines_make(pilot->lines))
        pilot->lines[0] = '\0';
}

static int make_call_log(struct lc_pilot *pilot, struct lc_error *err)
{
    int fd = pilot->notes[0] ? make_log(pilot, pilot->calls, sizeof(pilot->calls), "calls") : -1;
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

    if (!pilot->notes[0] || !pilot->audit[0])
        return lc_error_set(err, "cannot record: loadcast-pilot.so and loadcast-record.so are not "
                                 "where they were built or installed");
    if (!out)
        return lc_error_errno(err, "cannot write a log to the temporary directory");
    lc_trace_log_head(out, pilot->argv);
    make_lines(pilot);
    return fclose(out) == 0 ? 0 : lc_error_errno(err, "cannot write '%s'", pilot->calls);
}

/* Makes the directory in which each process of the pilot writes its own bindings log. */
static void make_bindings_log(struct lc_pilot *pilot)
{
    snprintf(pilot->bindings, sizeof(pilot->bindings), "%s/loadcast-bindings.XXXXXX",
             log_dir(pilot));
    if (!mkdtemp(pilot->bindings))
        pilot->bindings[0] = '\0';
}

/* Appends an object to LD_AUDIT or LD_PRELOAD, after the user's own. */
static void add_object(const char *name, const char *object)
{
    const char *before = getenv(name);
    struct lc_buf both = {0};

    lc_buf_printf(&both, "%s%s%s", before ? before : "", before && *before ? ":" : "", object);
    if (!both.failed)
        setenv(name, lc_buf_text(&both), 1);
    lc_buf_free(&both);
}

static void set_environment(const struct lc_pilot *pilot)
{
    /* Bytecode is compiled into the image; the pilot shall not write to the user's tree. */
    if (!pilot->in_place)
        setenv("PYTHONDONTWRITEBYTECODE", "1", 0);
    if (pilot->audit[0] && pilot->search[0]) {
        add_object("LD_AUDIT", pilot->audit);
        setenv("LOADCAST_SEARCH_LOG", pilot->search, 1);
    }
    if (pilot->bindings[0]) {
        add_object("LD_AUDIT", pilot->capture);
        setenv(LC_BIND_LOG_VARIABLE, pilot->bindings, 1);
    }
    if (pilot->preload[0]) {
        add_object("LD_PRELOAD", pilot->preload); /* in the same place as 'exec' puts it */
        setenv(LC_PILOT_IMPORTS_VARIABLE, "1", 1);
        unsetenv(LC_NODE_VARIABLE); /* the client shall be loaded, but answer nothing */
    }
    if (pilot->calls[0]) {
        add_object("LD_PRELOAD", pilot->notes);
        setenv(LC_PILOT_VARIABLE, pilot->calls, 1);
    }
}

static void on_event(void *arg, const struct lc_trace_event *event)
{
    struct lc_pilot *pilot = arg;

    lc_seen_event(pilot->seen, event);
}

/* The first exec is the program itself, which choose_objects() has examined. */
static void on_executed(void *arg, pid_t tid)
{
    struct lc_pilot *pilot = arg;

    if (pilot->is_started)
        lc_record_fit_child(pilot, tid);
    pilot->is_started = true;
}

static void on_waiting(void *arg, unsigned threads)
{
    struct lc_pilot *pilot = arg;

    if (pilot->waiting)
        pilot->waiting(pilot->arg, threads);
}

/* Has no new path been used for settle_s seconds? Then the program's start is over. */
static bool has_settled(void *arg)
{
    const struct lc_pilot *pilot = arg;
    uint64_t newest_ns = pilot->seen->newest_ns;

    return newest_ns > 0 && (double)(lc_clock_ns() - newest_ns) / 1e9 >= pilot->settle_s;
}

/* In a job the launcher searches PATH for the program; in the pilot this process does, untraced.
 * Record this search too, with the names that are absent. Relative directories in PATH are left
 * out. */
void lc_pilot_note_search(struct lc_pilot *pilot)
{
    struct lc_seen *seen = pilot->seen;
    const char *name = pilot->argv[0], *path = strchr(name, '/') ? NULL : getenv("PATH");
    char candidate[PATH_MAX];

    for (const char *dir = path; dir; dir = lc_path_list_next(dir)) {
        int n = (int)strcspn(dir, ":");
        if (dir[0] != '/' || snprintf(candidate, sizeof(candidate), "%.*s/%s", n, dir, name) >=
                                 (int)sizeof(candidate))
            continue;
        bool is_there = access(candidate, F_OK) == 0;
        if (is_there || errno == ENOENT || errno == ENOTDIR)
            lc_seen_add(seen, candidate, is_there ? LC_USE_STAT : LC_USE_ABSENT);
        if (is_there && access(candidate, X_OK) == 0)
            return;
    }
}

int lc_pilot_prepare(struct lc_pilot *pilot, struct lc_error *err)
{
    pilot->is_started = false;
    find_objects(pilot);
    if (choose_objects(pilot, err) < 0)
        return -1;
    if (pilot->audit[0])
        make_search_log(pilot);
    if (pilot->capture[0] && pilot->preload[0])
        make_bindings_log(pilot);
    if (pilot->no_ptrace && make_call_log(pilot, err) < 0)
        return -1;
    set_environment(pilot);
    const char *const ours[] = {pilot->audit,    pilot->search, pilot->capture, pilot->preload,
                                pilot->bindings, pilot->notes,  pilot->calls};
    memcpy(pilot->seen->ours, ours, sizeof(ours));
    pilot->seen->start_ns = lc_clock_wall_ns();
    if (!pilot->in_place)
        lc_pilot_note_search(pilot);
    return 0;
}

int lc_pilot_run(struct lc_pilot *pilot, struct lc_error *err)
{
    struct lc_trace_options options = {.for_s = pilot->for_s,
                                       .has_enough = pilot->settle_s > 0 ? has_settled : NULL,
                                       .ends_program = pilot->ends_program,
                                       .names_only = true,
                                       .group = pilot->group,
                                       .executed = on_executed,
                                       .waiting = on_waiting};

    if (lc_pilot_prepare(pilot, err) < 0)
        return -1;
    if (pilot->no_ptrace)
        return lc_pilot_run_no_ptrace(pilot, err);
    return lc_trace_run(&options, pilot->argv, STDOUT_FILENO, on_event, pilot, &pilot->outcome,
                        err);
}

int lc_pilot_wait(struct lc_pilot *pilot)
{
    return pilot->no_ptrace ? lc_pilot_wait_no_ptrace(pilot) : lc_trace_wait();
}

off_t lc_pilot_logged_bytes(const struct lc_pilot *pilot)
{
    struct stat st;

    return stat(pilot->calls, &st) == 0 ? st.st_size + (off_t)lc_call_lines_bytes(pilot->lines) : 0;
}

int lc_pilot_take_calls(struct lc_pilot *pilot, struct lc_error *err)
{
    if (!pilot->calls[0])
        return 0;
    int rc = lc_seen_read_log(pilot->seen, pilot->calls, err);
    if (pilot->lines[0] && lc_call_lines_read(pilot->seen, pilot->lines, err) < 0)
        rc = -1;
    if (!pilot->keeps_logs) {
        unlink(pilot->calls);
        unlink(pilot->lines);
        pilot->calls[0] = pilot->lines[0] = '\0';
    }
    return rc;
}

void lc_pilot_take_searches(struct lc_pilot *pilot)
{
    if (!pilot->search[0])
        return;
    if (lc_seen_read_searches(pilot->seen, pilot->search) < 0)
        pilot->seen->failed = 1;
    if (pilot->keeps_logs)
        return;
    unlink(pilot->search);
    pilot->search[0] = '\0';
}

int lc_pilot_take_bindings(struct lc_pilot *pilot, struct lc_error *err)
{
    if (!pilot->bindings[0])
        return 0;
    int rc = lc_record_bindings(pilot->bindings, &pilot->seen->bindings,
                                pilot->in_place ? NULL : &pilot->is_unresolved, err);
    if (!pilot->keeps_logs) {
        lc_record_bindings_clear(pilot->bindings);
        pilot->bindings[0] = '\0';
    }
    return rc;
}

void lc_pilot_clear(struct lc_pilot *pilot)
{
    if (pilot->search[0])
        unlink(pilot->search);
    if (pilot->calls[0])
        unlink(pilot->calls);
    if (pilot->lines[0])
        unlink(pilot->lines);
    if (pilot->bindings[0])
        lc_record_bindings_clear(pilot->bindings);
    pilot->search[0] = pilot->bindings[0] = pilot->calls[0] = pilot->lines[0] = '\0';
}
