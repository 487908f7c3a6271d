/* SPDX-License-Identifier: MIT */
/* families.c - the ways a process tree can grow: families MODE
 * threads: four threads stat /etc/passwd 50 times each; the main thread waits
 * thread-exec: a thread that is not the first executes /bin/true
 * spawn: posix_spawn of /bin/true; vfork: the same by vfork
 * clone3: a child by clone3 that stats /etc/passwd
 * daemon: a child leaves the session. When the program has ended, it writes its number to
 *     "orphan", waits for a word through the pipe "go" if there is one, stats /etc/passwd and
 *     writes "alive"
 * segv: dies by SIGSEGV
 * stop: stops itself by SIGSTOP; continued, it writes "continued"
 * busy: four threads ask without pause for two seconds
 * affinity: prints how many CPUs it may use, after many calls
 */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/syscalls.h"

static void ask(void)
{
    struct stat st;

    stat("/etc/passwd", &st);
}

static int in_four_threads(void *(*what)(void *))
{
    pthread_t thread[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, what, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

static void *ask_often(void *arg)
{
    (void)arg;
    for (int i = 0; i < 50; i++)
        ask();
    return NULL;
}

static void *execute(void *arg)
{
    (void)arg;
    execl("/bin/true", "true", (char *)NULL);
    return NULL;
}

static int threads(void)
{
    return in_four_threads(ask_often);
}

static int thread_exec(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, execute, NULL);
    pthread_join(thread, NULL);
    return 1;
}

static void *ask_without_pause(void *arg)
{
    for (time_t end = time(NULL) + 2; time(NULL) <= end;)
        ask();
    return arg;
}

static int busy(void)
{
    return in_four_threads(ask_without_pause);
}

static int wait_for(pid_t pid)
{
    int status;

    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int spawn(void)
{
    char *argv[] = {"true", NULL};
    pid_t pid;

    return posix_spawn(&pid, "/bin/true", NULL, NULL, argv, NULL) ? 1 : wait_for(pid);
}

static int by_vfork(void)
{
    pid_t pid = vfork();

    if (pid == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    return wait_for(pid);
}

static int by_clone3(void)
{
    uint64_t args[8] = {[4] = SIGCHLD}; /* flags, pidfd, child_tid, parent_tid, exit_signal, ... */
    pid_t pid = (pid_t)syscall(SYS_clone3, args, sizeof(args));

    if (pid == 0) {
        ask();
        _exit(0);
    }
    return wait_for(pid);
}

static void note(const char *name, pid_t pid)
{
    FILE *f = fopen(name, "w");

    if (!f || fprintf(f, "%d\n", (int)pid) < 0 || fclose(f))
        _exit(1);
}

static int daemonise(void)
{
    int program_lives[2];
    pid_t program = getpid();
    char c;

    if (pipe(program_lives) == 0 && fork() == 0) {
        setsid();
        close(program_lives[1]);
        if (read(program_lives[0], &c, 1) != 0)
            _exit(1);
        note("orphan", program);
        FILE *go = fopen("go", "r");
        if (go && fgetc(go) == EOF)
            _exit(1);
        ask();
        note("alive", getpid());
    }
    return 0;
}

static int stop(void)
{
    raise(SIGSTOP);
    FILE *f = fopen("continued", "w");
    return !f || fclose(f);
}

static int affinity(void)
{
    cpu_set_t set;

    for (int i = 0; i < 100; i++)
        ask();
    sched_getaffinity(0, sizeof(set), &set);
    printf("%d\n", CPU_COUNT(&set));
    for (int i = 0; i < 100; i++)
        ask();
    sched_getaffinity(getpid(), sizeof(set), &set);
    printf("%d\n", CPU_COUNT(&set));
    fflush(stdout);
    if (fork() == 0) {
        execl("/usr/bin/nproc", "nproc", (char *)NULL);
        _exit(1);
    }
    wait(NULL);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } mode[] = {{"threads", threads}, {"thread-exec", thread_exec}, {"spawn", spawn},
                {"vfork", by_vfork},  {"clone3", by_clone3},        {"daemon", daemonise},
                {"stop", stop},       {"affinity", affinity},       {"busy", busy}};

    for (size_t i = 0; argc > 1 && i < sizeof(mode) / sizeof(*mode); i++)
        if (strcmp(argv[1], mode[i].name) == 0)
            return mode[i].run();
    return raise(SIGSEGV);
}
