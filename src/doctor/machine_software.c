/* SPDX-License-Identifier: MIT */
/* machine_software.c - C library, Python, ptrace and FUSE */
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor/machine_private.h"
#include "launch/step.h"
#include "node/glibc_versions.h"
#include "node/python_versions.h"
#include "util/buf.h"
#include "util/path.h"

/* Can a child be traced? As 'trace' and 'record' would attach to it. 0, or errno. */
static int ptrace_try(void)
{
    int go[2], code = 0;
    char byte;

    if (pipe2(go, O_CLOEXEC) < 0)
        return errno;
    pid_t pid = fork();
    if (pid == 0) {
        close(go[1]);
        _exit(read(go[0], &byte, 1) != 0);
    }
    if (pid < 0 || ptrace(PTRACE_SEIZE, pid, 0, 0) < 0)
        code = errno;
    close(go[0]);
    close(go[1]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, __WALL);
    }
    return code;
}

void lc_machine_check_ptrace(struct lc_machine_findings *m)
{
    int code = ptrace_try();

    if (code == 0) {
        lc_machine_add(m, LC_FINDING_OK, "ptrace", "allowed: 'trace' and 'record' see every call");
        return;
    }
    struct lc_finding *f = lc_machine_add(
        m, LC_FINDING_NOTE, "ptrace",
        "forbidden (%s): 'trace' does not work, 'record' watches from inside", strerror(code));
    lc_finding_advise(f, "in a container --cap-add=SYS_PTRACE; else kernel.yama.ptrace_scope of 1 "
                         "or less");
}

/* Names of what is off with this glibc. */
static void untested_list(uint32_t untested, struct lc_buf *out)
{
    for (int i = 0; i < LC_GLIBC_PART_COUNT; i++)
        if (untested >> i & 1)
            lc_buf_printf(out, "%s%s", out->len ? ", " : "", lc_glibc_part_text(i));
}

void lc_machine_check_glibc(struct lc_machine_findings *m)
{
    const char *version = gnu_get_libc_version();
    uint32_t untested = lc_glibc_untested(lc_glibc_minor(version));
    struct lc_buf list = {0};

    if (!untested) {
        lc_machine_add(m, LC_FINDING_OK, "glibc", "%s, tested", version);
        return;
    }
    untested_list(untested, &list);
    struct lc_finding *f =
        lc_machine_add(m, LC_FINDING_NOTE, "glibc", "%s is not tested with, and therefore off: %s",
                       version, lc_buf_text(&list));
    lc_finding_advise(f, "a newer Loadcast may know it; programs run in any case");
    lc_buf_free(&list);
}

/* x of "...python3.x"; 0 if the name does not tell. */
static int minor_of_name(const char *path)
{
    const char *name = lc_path_base(path);
    char *end = NULL;
    long minor = strncmp(name, "python3.", 8) == 0 ? strtol(name + 8, &end, 10) : 0;

    return end && !*end && minor > 0 && minor < 1000 ? (int)minor : 0;
}

/* By the name that it is a link to; else it is started. 0 if it does not tell. */
static int python_minor(const char *path)
{
    char real[PATH_MAX], text[256];
    int minor = realpath(path, real) ? minor_of_name(real) : 0;

    if (minor)
        return minor;
    lc_step_ask(path, "--version", NULL, text, sizeof(text));
    return sscanf(text, "Python 3.%d", &minor) == 1 ? minor : 0;
}

void lc_machine_check_python(struct lc_machine_findings *m)
{
    char path[PATH_MAX];

    if (lc_path_find_program(path, sizeof(path), "python3", NULL) < 0) {
        struct lc_finding *f =
            lc_machine_add(m, LC_FINDING_NOTE, "Python", "no python3 is in PATH");
        lc_finding_advise(f, "nothing, unless your program is one in Python");
        return;
    }
    int minor = python_minor(path);
    if (minor >= LC_PYTHON_FIRST_MINOR && minor <= LC_PYTHON_LAST_MINOR) {
        lc_machine_add(m, LC_FINDING_OK, "Python", "'%s' is 3.%d, tested", path, minor);
        return;
    }
    struct lc_finding *f = lc_machine_add(
        m, LC_FINDING_NOTE, "Python",
        "'%s' is %s3.%d, the import seam is made for 3.%d to 3.%d: it is off", path,
        minor ? "" : "of a version that it does not tell, not ",
        minor ? minor : LC_PYTHON_LAST_MINOR, LC_PYTHON_FIRST_MINOR, LC_PYTHON_LAST_MINOR);
    lc_finding_advise(f, "modules are served as files all the same; %s",
                      minor > LC_PYTHON_LAST_MINOR ? "a newer Loadcast may know this Python"
                                                   : "a newer Python imports faster");
}

void lc_machine_check_fuse(struct lc_machine_findings *m)
{
    char path[PATH_MAX];
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC), code = errno;
    bool can_mount =
        geteuid() == 0 || lc_path_find_program(path, sizeof(path), "fusermount3", NULL) == 0;

    if (fd >= 0)
        close(fd);
    if (fd >= 0 && can_mount) {
        lc_machine_add(m, LC_FINDING_OK, "FUSE", "stormfs can be mounted");
        return;
    }
    struct lc_finding *f =
        fd < 0 ? lc_machine_add(m, LC_FINDING_NOTE, "FUSE",
                                "stormfs cannot be mounted: /dev/fuse: %s", strerror(code))
               : lc_machine_add(m, LC_FINDING_NOTE, "FUSE",
                                "stormfs cannot be mounted: no fusermount3 in PATH");
    lc_finding_advise(f, "only measuring with stormfs needs it; %s",
                      fd < 0 ? "modprobe fuse, or --device /dev/fuse for a container"
                             : "it is in the package fuse3");
}
