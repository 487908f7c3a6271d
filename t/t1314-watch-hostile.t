#!/bin/sh
# Programs that are hard on whatever is loaded into them: threads, signals, forks, filters of system calls, changes of user and
# root, long paths, many files. Each says the same on its first run, which is watched, as without us.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
. "$here/watch.sh"
need_compiler
watch_disk
watch_in_memory
build_program() { $cc -O1 -pthread -o "tree/bin/$1" "$1.c" -ldl || skip_all "cannot compile $1"; }

cat >filter.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
/* filter HOW NUMBER...: the system calls of these numbers end the process from now on */
int main(int argc, char **argv)
{
    struct sock_filter code[64] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned short n = 1;
    for (int i = 2; i < argc && n < 60; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(argv[i]), 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {n, code};
    struct stat st;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int rc = argv[1][0] == 'p' ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0)
                               : (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
    printf("filter %d\n", rc);
    printf("stat %d %d\n", stat("/", &st), stat("nonesuch", &st));
    printf("access %d\n", access("/nonesuch/x", F_OK));
    void *library = dlopen("libm.so.6", RTLD_NOW);
    printf("library %d\n", library && dlsym(library, "cos"));
    printf("absent %d\n", !dlopen("libnonesuch.so", RTLD_NOW));
    return 0;
}
C
build_program filter
# number NAME...: of system calls
number() { printf '#include <sys/syscall.h>\n%s\n' "$(printf 'SYS_%s\n' "$@")" | $cc -E -P - | tr '\n' ' '; }
t 'a filter of system calls: none is made that the program does not make itself' '
    for how in prctl syscall; do
        for call in gettid prlimit64 getcwd getpid readlinkat lseek writev pwrite64 ftruncate fcntl flock unlinkat ; do
            plain_and_watched "$m/bin/filter" $how $(number $call) || { echo "$call"; exit 1; }
            says "filter 0" plain
        done
    done
'
sed 's|    struct stat st;|    if (system("rm -rf \\"$LOADCAST_DIR\\"/loadcast-watch.*") != 0 \|\| !dlopen("libm.so.6", RTLD_NOW)) return 3;\n&|' filter.c >gone.c
build_program gone
t 'nor at its end, when what was to be written could not be: the logs are gone' '
    for call in getpid lseek prlimit64; do
        plain_and_watched "$m/bin/gone" prctl $(number $call) || { echo "$call"; exit 1; }
        says "filter 0" plain
    done
'
cat >threads.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long wrong, handled;
static void on_alarm(int s)
{
    int saved = errno;
    struct stat st;
    if (access("/nonesuch", F_OK) != -1 || errno != ENOENT || stat("/", &st) != 0)
        __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    handled += s > 0;
    errno = saved;
}
static void *work(void *arg)
{
    stack_t small = {.ss_sp = malloc(32768), .ss_size = 32768};
    char path[64];
    struct stat st;
    sigaltstack(&small, NULL);
    for (int i = 0; i < 2000; i++) {
        snprintf(path, sizeof(path), "/nonesuch/%ld/%d", (long)arg, i % 500);
        errno = 0;
        if (stat(path, &st) != -1 || errno != ENOENT)
            __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        errno = 77;
        if (stat("/", &st) != 0 || errno != 77)
            __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        if (i % 100 == 0) {
            void *h = dlopen("libm.so.6", RTLD_NOW);
            if (!h || !dlsym(h, "sin"))
                __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
            if (h)
                dlclose(h);
            pid_t child = fork();
            if (child == 0)
                _exit(stat(path, &st) == 0 || errno != ENOENT);
            int status = -1;
            while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                ;
            if (status != 0)
                __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        }
    }
    return NULL;
}
int main(void)
{
    struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
    struct itimerval each = {{0, 1000}, {0, 1000}};
    pthread_t thread[8];
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
    for (long i = 0; i < 8; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    printf("wrong %ld, signals %d\n", wrong, handled > 3);
    return 0;
}
C
build_program threads
t 'eight threads that load, fork and get signals during calls: each result and errno is right' '
    plain_and_watched "$m/bin/threads"
    says "wrong 0, signals 1" plain
'
cat >children.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static long mapped_kb(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * 4;
}
static int once(char *program, int fails)
{
    char *argv[] = {program, NULL};
    pid_t child = vfork();
    if (child == 0) {
        if (fails)
            execv("/nonesuch/program", argv);
        else
            execve(program, argv, environ);
        _exit(9);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
int main(int argc, char **argv)
{
    int sum = 0, spawned = 0, status;
    pid_t pid;
    once(argv[1], 0);
    long before = mapped_kb();
    for (int i = 0; i < 200; i++)
        sum += once(argv[1], i % 2);
    for (int i = 0; i < 50; i++) {
        char *words[] = {argv[1], NULL};
        spawned += posix_spawn(&pid, i % 2 ? argv[1] : "/nonesuch/program", NULL, NULL, words, environ);
        if (i % 2)
            waitpid(pid, &status, 0);
    }
    long grown = mapped_kb() - before;
    printf("%d %d, grown %s, open %d\n", sum, spawned, grown < 2000 ? "little" : "much", dup(0));
    if (grown >= 2000)
        printf("%ld kB\n", grown);
    fflush(stdout);
    close_range(0, ~0u, 0);
    return open_first() + argc - 2;
}
C
sed -i 's/^static int once/#include <fcntl.h>\nstatic int open_first(void) { return open("\/dev\/null", O_RDWR); }\nstatic int once/' children.c
build_program children
t '200 children by vfork, 50 by posix_spawn: no memory and no descriptor stays; all are closed by close_range' '
    plain_and_watched "$m/bin/children" "$m/bin/ls"
    says "grown little" plain
'
cat >places.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char longest[8192], deep[256];
    struct stat st;
    int level = 0;
    for (size_t n = 1000; n <= 8000; n += 1000) {
        memset(longest, 'a', n);
        memcpy(longest, "/tmp/", 5);
        for (size_t i = 200; i < n; i += 200)
            longest[i] = '/';
        longest[n] = '\0';
        errno = 0;
        printf("%zu: %d %d\n", n, stat(longest, &st), errno);
        printf("%zu: %d %d\n", n, open(longest + 1, O_RDONLY), errno);
    }
    if (chdir(argv[1]) < 0)
        return 2;
    memset(deep, 'd', 200);
    deep[200] = '\0';
    while (level < 40 && mkdir(deep, 0700) == 0 && chdir(deep) == 0)
        level++;
    printf("level %d: %d %d\n", level, access("x", F_OK), errno);
    printf("create %d\n", open("x", O_CREAT | O_WRONLY, 0600) >= 0);
    unlink("x");
    while (level-- > 0 && chdir("..") == 0)
        rmdir(deep);
    if (geteuid() == 0 && argc > 2) {
        printf("chroot %d %d\n", chroot(argv[1]), chdir("/"));
        printf("%d %d\n", access("/bin", F_OK), errno);
        printf("%d\n", setuid(65534));
        printf("%d %d\n", access("/x", F_OK), errno);
    }
    return 7;
}
C
build_program places
t 'paths of up to 8,000 characters, 40 levels of 200; chroot and another user' '
    mkdir -p deep
    plain_and_watched "$m/bin/places" "$tmp/deep" chroot
    [ "$status" = 7 ]
    rm -rf deep
'
cat >longest.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
/* longest PROGRAM: how long may its arguments be, by each call? longest fill PROGRAM ARGUMENT...: execute it with as many more
 * as the kernel takes, but for LESS bytes */
enum { MOST = 4096, EACH = 4096 };
static char *fill(char **words, int n, long bytes)
{
    static char text[EACH];
    static char *last;
    memset(text, 'x', EACH - 1);
    free(last);
    last = strdup(text);
    for (; bytes >= EACH && n < MOST; bytes -= EACH)
        words[n++] = text;
    last[bytes < EACH ? bytes : EACH - 1] = '\0';
    words[n++] = last;
    words[n] = NULL;
    return last;
}
static int try(int how, char **words)
{
    pid_t pid = -1;
    int status = 0;
    if (how < 3) {
        pid = fork();
        if (pid == 0) {
            how == 0 ? execve(words[0], words, environ) : how == 1 ? execvp(words[0], words) : execv(words[0], words);
            _exit(errno == E2BIG ? 99 : 98);
        }
    } else {
        int rc = how == 3 ? posix_spawn(&pid, words[0], NULL, NULL, words, environ)
                          : posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
        if (rc)
            return rc == E2BIG ? 99 : 98;
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}
static long longest(int how, char **words, int n)
{
    long fits = 0, fails = (long)MOST * EACH;
    while (fails - fits > 8) {
        long now = (fits + fails) / 2;
        fill(words, n, now);
        if (try(how, words) == 99)
            fails = now;
        else
            fits = now;
    }
    return fits;
}
int main(int argc, char **argv)
{
    static char *words[MOST + 64];
    if (!strcmp(argv[1], "count")) {
        printf("%d\n", argc);
        return 4;
    }
    if (!strcmp(argv[1], "fill")) {
        char probe[4096]; /* "////bin/true", as long as the program's path */
        int n = (int)strlen(argv[2]), tail = (int)strlen("/bin/true");
        memset(probe, '/', n);
        strcpy(probe + (n > tail ? n - tail : 0), "/bin/true");
        for (int i = 2; i < argc; i++)
            words[i - 2] = argv[i];
        words[0] = probe;
        fill(words, argc - 2, longest(0, words, argc - 2) - atoi(getenv("LESS")));
        words[0] = argv[2];
        execv(words[0], words);
        return 97;
    }
    words[0] = argv[1];
    for (int how = 0; how < 5; how++)
        printf("%ld\n", longest(how, words, 1) / 64);
    return 0;
}
C
build_program longest
t 'arguments as long as the kernel takes them: of the programs that it starts, and its own' '
    cp -L /bin/true tree/bin/true
    plain_and_watched "$m/bin/longest" "$m/bin/true"
    # The largest line with our word before it that the kernel takes, and smaller ones, for each thing that we add to it.
    for less in 0 100 200 300 400 600 800 1200 1600 2400 3200 6400; do
        forget
        LESS=$less code 4 job "$m/bin/longest" fill "$build/loadcast" run -q --manage "$m" -- "$m/bin/longest" count
        [ "$(cat out)" -gt 100 ]
    done
'
t 'a set-user-ID program sees nothing of ours' '
    [ "$(id -u)" = 0 ] || skip "needs root"
    cp "$(command -v env)" own-env
    chown 65534 own-env
    chmod 4755 own-env
    [ -z "$(LD_PRELOAD=x ./own-env 2>/dev/null | grep "^LD_PRELOAD=")" ] || skip "set-user-ID has no effect here"
    export B=2
    plain_and_watched "$tmp/own-env"
    plain_and_watched sh -c "$tmp/own-env; $tmp/own-env; true"
    plain_and_watched "$m/bin/sh" -c "exec $tmp/own-env"
'
cat >many.c <<'C'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
/* many CHILDREN FILES: each child asks for that many that are absent */
int main(int argc, char **argv)
{
    int children = atoi(argv[1]), files = atoi(argv[argc - 1]), found = 0, status, failed = 0;
    for (int c = 0; c < children; c++)
        if (fork() == 0) {
            char path[160];
            for (int i = 0; i < files; i++) {
                snprintf(path, sizeof(path), "/nonesuch/%0100d/%d", c, i);
                found += access(path, F_OK) == 0 || errno != ENOENT;
            }
            _exit(found != 0);
        }
    for (int c = 0; c < children; c++)
        failed += wait(&status) < 0 || status;
    printf("%d failed\n", failed);
    fflush(stdout);
    if (argc > 3)
        for (FILE *f; (f = fopen(argv[2], "r")) == NULL;)
            usleep(20000);
    return failed;
}
C
build_program many
t '100,000 files, by each of eight children: the logs stay below 32 MiB' '
    forget
    rm -f go
    job "$build/loadcast" run -- "$m/bin/many" 8 "$tmp/go" 100000 >first 2>first.err &
    wait_until grep -q failed first
    logs=$(du -sk "$LOADCAST_DIR"/loadcast-watch.* | cut -f1)
    touch go
    wait
    echo "0 failed" | same - first
    [ "$logs" -gt 1000 ] # the control: there is a log
    [ "$logs" -le 32768 ] || { echo "$logs kB"; exit 1; }
'
t 'nothing is left behind' 'wait_until nothing_watches'
finish
