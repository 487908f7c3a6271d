/* SPDX-License-Identifier: MIT */
/* spawn.c - posix_spawn and posix_spawnp: actions, attributes, errors, other environments */
#include <spawn.h>
#include <sys/wait.h>

#include "case.h"

extern char **environ;
static pid_t pid;

static void report(const char *what, int result)
{
    int status = -1;

    if (result == 0)
        waitpid(pid, &status, 0);
    dprintf(1, "%s: %s status %x\n", what, result ? error_name(result) : "ok", status);
}

int main(int argc, char **argv)
{
    char *script = joined(argv[1], "/data/program");
    char *const args[] = {"name", "a", "b c", NULL}, *const bare[] = {"PATH=/usr/bin:/bin",
                                                                      "ONLY=this", NULL};
    posix_spawn_file_actions_t actions;

    (void)argc;
    report("script", posix_spawn(&pid, script, NULL, NULL, args, environ));
    report("relative", posix_spawn(&pid, "data/program", NULL, NULL, args, environ));
    report("nested", posix_spawn(&pid, "data/program-nested", NULL, NULL, args, environ));
    report("lost interpreter", posix_spawn(&pid, "data/program-lost", NULL, NULL, args, environ));
    report("without first line", posix_spawn(&pid, "data/program-bare", NULL, NULL, args, environ));
    report("by path, without first line",
           posix_spawnp(&pid, "data/program-bare", NULL, NULL, args, environ));
    report("absent", posix_spawn(&pid, "data/none", NULL, NULL, args, environ));
    report("not executable", posix_spawn(&pid, "data/file", NULL, NULL, args, environ));
    report("directory", posix_spawn(&pid, "data", NULL, NULL, args, environ));
    report("own environment", posix_spawn(&pid, "/usr/bin/env", NULL, NULL, args + 3, bare));
    setenv("PATH", joined(argv[1], "/data:/usr/bin:/bin"), 1);
    report("in PATH", posix_spawnp(&pid, "program", NULL, NULL, args, environ));
    report("not in PATH", posix_spawnp(&pid, "no-such-program", NULL, NULL, args, environ));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, joined(argv[1], "/data/file"), O_RDONLY, 0);
    posix_spawn_file_actions_addchdir_np(&actions, joined(argv[1], "/data"));
    char *const cat[] = {"cat", "-", "sub/n1.txt", NULL};
    report("with actions", posix_spawnp(&pid, "cat", &actions, NULL, cat, environ));
    report("relative after chdir", posix_spawn(&pid, "./program", &actions, NULL, args, environ));
}
