/* SPDX-License-Identifier: MIT */
/* exec.c - the exec family: found, not found, refused, scripts, PATH and environment */
#include <sys/syscall.h>
#include <sys/wait.h>

#include "case.h"

extern char **environ;
static const char *root;

/* What each child tries; a number it returns is errno. */
static void attempt(int way)
{
    char *const args[] = {"name", "a", "b c", NULL}, *const bare[] = {"PATH=/usr/bin:/bin",
                                                                      "ONLY=this", NULL};
    const char *script = joined(root, "/data/program");

    switch (way) {
    case 0:
        execv(script, args);
        break;
    case 1:
        execl("data/program", "x", "1", (char *)NULL);
        break;
    case 2:
        execle(script, "x", "2", (char *)NULL, bare);
        break;
    case 3:
        execlp("program", "x", "3", (char *)NULL);
        break;
    case 4:
        execvp("program-bare", args);
        break;
    case 5:
        execvpe("program-e", args, environ);
        break;
    case 6:
        execve("data/program-nested", args, environ);
        break;
    case 7:
        execve("data/program-lost", args, environ);
        break;
    case 8:
        execve("data/program-bare", args, environ);
        break;
    case 9:
        execve("data/none", args, environ);
        break;
    case 10:
        execve("data/file/none", args, environ);
        break;
    case 11:
        execve("data/file", args, environ);
        break;
    case 12:
        execve("data", args, environ);
        break;
    case 13:
        execve("data/loop", args, environ);
        break;
    case 14:
        execve("data/dangling", args, environ);
        break;
    case 15:
        execve("data/closed/inside", args, environ);
        break;
    case 16:
        execve("", args, environ);
        break;
    case 17:
        execvp("", args);
        break;
    case 18:
        execvp("no-such-program", args);
        break;
    case 19:
        execve("/usr/bin/env", args + 3, bare);
        break;
    case 20:
        fexecve(open(script, O_RDONLY), args, environ);
        break;
    case 21:
        syscall(SYS_execveat, AT_FDCWD, script, args, environ, 0);
        break;
    case 22:
        setenv("PATH", "", 1);
        execvp("program", args);
        break;
    case 23:
        unsetenv("PATH");
        execvp("true", args);
        break;
    case 24:
        setenv("PATH", ":none", 1);
        (void)!chdir("data");
        execvp("program", args);
        break;
    case 25:
        clearenv();
        execl("data/program", "x", "cleared", (char *)NULL);
        break;
    case 26:
        execve("data/two words", args, environ);
        break;
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    root = argv[1];
    for (int way = 0; way <= 26; way++) {
        int status;
        pid_t pid = fork();
        if (pid == 0) {
            setenv("PATH", joined(root, "/data:/usr/bin:/bin"), 1);
            attempt(way);
            dprintf(1, "%d: %s\n", way, error_name(errno));
            _exit(100);
        }
        waitpid(pid, &status, 0);
        dprintf(1, "%d ended %x\n", way, status);
    }
}
