/* SPDX-License-Identifier: MIT */
/* signals.c - a handler that opens files while the program does, on a small stack of its own */
#include <signal.h>
#include <sys/time.h>

#include "case.h"

static volatile int handled, wrong;

static void on_alarm(int number)
{
    struct stat st;
    int before = errno;
    int fd = open("data/file", O_RDONLY);

    (void)number;
    if (fd < 0 || fstat(fd, &st) < 0 || st.st_size != 20 || access("data/none", F_OK) == 0)
        wrong++;
    close(fd);
    handled++;
    errno = before;
}

int main(void)
{
    static char stack[16384];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};

    sigaltstack(&alternate, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 200000 && handled < 50; i++) {
        struct stat st;
        errno = 0;
        if (stat("data/none/below", &st) == 0 || errno != ENOENT)
            wrong++;
        int fd = open("data/to-file", O_RDONLY);
        if (fd < 0)
            wrong++;
        close(fd);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    printf("handled %s, wrong %d\n", handled >= 50 ? "many" : "few", wrong);
}
