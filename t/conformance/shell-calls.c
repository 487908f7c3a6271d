/* SPDX-License-Identifier: MIT */
/* shell-calls.c - system, popen and wordexp: a shell started from inside the C library */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <wordexp.h>

#include "case.h"

static volatile sig_atomic_t interrupts, children;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupts++;
}

static void on_child(int signal)
{
    (void)signal;
    children++;
}

static void show_dispositions(void)
{
    struct sigaction i, q;
    sigset_t blocked;

    sigaction(SIGINT, NULL, &i);
    sigaction(SIGQUIT, NULL, &q);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    printf("  SIGINT %s flags %x, SIGQUIT %s, SIGCHLD %sblocked\n",
           i.sa_handler == SIG_DFL        ? "default"
           : i.sa_handler == SIG_IGN      ? "ignored"
           : i.sa_handler == on_interrupt ? "ours"
                                          : "?",
           i.sa_flags & ~0x04000000, q.sa_handler == SIG_DFL ? "default" : "?",
           sigismember(&blocked, SIGCHLD) ? "" : "not ");
}

static void with_signals(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};

    SHOW(system("grep -E 'Sig(Blk|Ign)' /proc/self/status"));
    SHOW(system("kill -INT $$; echo not reached"));
    SHOW(system("kill -KILL $$"));
    sigaction(SIGINT, &action, NULL);
    signal(SIGCHLD, on_child);
    SHOW(system("kill -INT $PPID; exit 4"));
    printf("  %d interrupts, %d children\n", interrupts, children);
    show_dispositions();
    signal(SIGINT, SIG_IGN);
    SHOW(system("kill -INT $$; echo survived"));
    signal(SIGINT, SIG_DFL);
    signal(SIGCHLD, SIG_IGN);
    SHOW(system("exit 6"));
    signal(SIGCHLD, SIG_DFL);
    show_dispositions();
}

static void read_from(const char *command)
{
    char line[256];
    FILE *f = popen(command, "r");

    while (fgets(line, sizeof(line), f))
        printf("  %s", line);
    printf("popen %s: %x\n", command, pclose(f));
}

static void modes(void)
{
    static const char *const mode[] = {"r", "w", "re", "ew", "rw", "", "x", "r+", "rb"};

    for (size_t i = 0; i < sizeof(mode) / sizeof(*mode); i++) {
        errno = 0;
        FILE *f = popen("cat >/dev/null </dev/null", mode[i]);
        printf("mode '%s': %s", mode[i], f ? "open" : error_name(errno));
        if (f)
            printf(", flags %d, access %d", fcntl(fileno(f), F_GETFD),
                   fcntl(fileno(f), F_GETFL) & O_ACCMODE);
        printf(", %d\n", f ? pclose(f) : -1);
    }
}

/* A stream that is written to ends only when nobody else has its pipe. */
static void several(void)
{
    FILE *first = popen("cat; echo first is done", "w");
    FILE *second = popen("cat; echo second is done", "w");
    FILE *third = popen("ls /proc/self/fd | wc -l", "r");
    char line[64] = "";
    int (*volatile by_fclose)(FILE *) = fclose, (*volatile by_pclose)(FILE *) = pclose;

    fprintf(second, "to the second\n");
    fprintf(first, "to the first\n");
    fgets(line, sizeof(line), third);
    printf("third says %s", line);
    SHOW(pclose(first));
    SHOW(pclose(third));
    SHOW(by_fclose(second)); /* which waits, too */
    SHOW(waitpid(-1, NULL, WNOHANG));
    FILE *other = fopen("data/file", "r");
    SHOW(by_pclose(other));
    SHOW(pclose(popen("exit 3", "w")));
    SHOW(pclose(popen("kill -TERM $$", "r")));
    SHOW(pclose(popen("-no-such-command 2>/dev/null", "r")) != 0);
}

/* Pipes that come to lie where the child wants them. */
static void without_standard_streams(void)
{
    int out = dup(1), in = dup(0);
    char line[64] = "";

    close(0);
    FILE *f = popen("echo through zero", "r");
    fgets(line, sizeof(line), f);
    int status = pclose(f);
    close(1);
    f = popen("cat >/dev/null", "w");
    int second = f ? pclose(f) : -1;
    dup2(in, 0);
    dup2(out, 1);
    close(in);
    close(out);
    printf("%s  %d %d\n", line, status, second);
}

static void *many_times(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20; i++)
        if (system("exit 9") != 9 << 8)
            puts("another status");
    return NULL;
}

static void in_threads(void)
{
    pthread_t t[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, many_times, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    show_dispositions();
}

static void told(void *what)
{
    printf("  unwound: %s\n", (char *)what);
}

static void *wait_long(void *arg)
{
    pthread_cleanup_push(told, "a thread in system");
    system("echo $$ >pid; exec sleep 600");
    pthread_cleanup_pop(0);
    return arg;
}

/* A thread that is cancelled takes its shell along. */
static void cancelled(void)
{
    pthread_t t;
    void *result;
    char text[32] = "";

    char dir[] = "/tmp/shell-calls.XXXXXX";
    if (!mkdtemp(dir) || chdir(dir) || mkfifo("pid", 0600))
        exit(9);
    pthread_create(&t, NULL, wait_long, NULL);
    FILE *f = fopen("pid", "r"); /* waits for the shell to write to it */
    if (!f || !fgets(text, sizeof(text), f))
        exit(9);
    fclose(f);
    pthread_cancel(t);
    pthread_join(t, &result);
    printf("cancelled: %d, shell gone: %d\n", result == PTHREAD_CANCELED, kill(atoi(text), 0) < 0);
    show_dispositions();
    unlink("pid");
    rmdir(dir);
}

int main(void)
{
    wordexp_t words;

    setvbuf(stdout, NULL, _IONBF, 0);
    SHOW(system("cat data/file; exit 3"));
    SHOW(system("data/program from system"));
    SHOW(system("no-such-program 2>/dev/null"));
    SHOW(system(NULL));
    SHOW(system(""));
    SHOW(system("-c 2>/dev/null") != 0);
    read_from("ls data/sub");
    read_from("cd data/sub && pwd && cat n1.txt");
    read_from("exit 5");
    SHOW(wordexp("data/sub/n*.txt $(echo two words)", &words, 0));
    for (size_t i = 0; i < words.we_wordc; i++)
        printf("  %s\n", words.we_wordv[i]);
    wordfree(&words);
    with_signals();
    modes();
    several();
    without_standard_streams();
    in_threads();
    cancelled();
    int fd = dup(0);
    printf("descriptors left open: %d\n", fd - 3);
}
