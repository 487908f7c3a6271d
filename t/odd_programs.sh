# odd_programs.sh - programs that would notice a recorder; source it after lib.sh. The compiler is $cc.
#
#   odd_programs BIN LIB RPATH [PAUSE]    build them into BIN, a library into LIB, which they find as RPATH; each
#                                         does PAUSE (C) before it ends
#     uses-lazy       its library has a symbol that nobody defines and nobody calls; prints 5, and ends so
#     closes FILE     closes all descriptors, and prints the numbers it gets then
#     execs CMD...    becomes CMD; without one it prints whether SIGCHLD is pending

odd_programs() {
    cat >lazy.c <<'E'
extern int missing(void);
int used(void) { return 5; }
int unused(void) { return missing(); }
E
    cat >uses-lazy.c <<'E'
#include <stdio.h>
#include <unistd.h>
int used(void);
int main(void) { printf("%d\n", used()); PAUSE; return used(); }
E
    cat >closes.c <<'E'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int out = dup2(1, 1000);
    char text[200];
    for (int fd = 0; fd < 1024; fd++)
        if (fd != out)
            close(fd);
    int a = open("/dev/null", O_RDWR), b = open(argv[argc - 1], O_RDONLY), c = dup(out), d = open("/nonesuch", O_RDONLY);
    snprintf(text, sizeof(text), "%d %d %d %d\n", a, b, c, d);
    PAUSE;
    return write(out, text, strlen(text)) < 0;
}
E
    cat >execs.c <<'E'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    sigset_t mask, pending;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    if (argc > 1)
        execv(argv[1], argv + 1);
    sigpending(&pending);
    printf("pending %d\n", sigismember(&pending, SIGCHLD));
    PAUSE;
    return 0;
}
E
    $cc -shared -fPIC -Wl,-z,lazy -o "$2/liblazy.so" lazy.c &&
        $cc "-DPAUSE=${4:-}" -Wl,-z,lazy -Wl,--unresolved-symbols=ignore-all -o "$1/uses-lazy" uses-lazy.c -L"$2" -llazy -Wl,-rpath,"$3" &&
        $cc "-DPAUSE=${4:-}" -o "$1/closes" closes.c && $cc "-DPAUSE=${4:-}" -o "$1/execs" execs.c
}
