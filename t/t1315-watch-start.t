#!/bin/sh
# What stands before and around a watched program when it starts: the environment, the loader, the shell, the memory. Programs
# that cannot be watched without changing something are left alone.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
. "$here/watch.sh"
need_compiler
watch_disk
watch_in_memory
lib=$tmp/tree/lib/start
mkdir -p "$lib"
loader=$(ldd /bin/sh | awk '/ld-linux|ld64/ { print $1 }')

cat >tls.c <<'C'
static __thread char place[200000] __attribute__((tls_model("initial-exec")));
int tls(void);
int tls(void) { return ++place[7]; }
C
cat >uses-tls.c <<'C'
#include <stdio.h>
int tls(void);
int main(int argc, char **argv)
{
    printf("unfit %d", tls());
    for (int i = 1; i < argc; i++)
        printf(" [%s]", argv[i]);
    printf("\n");
    return 7;
}
C
$cc -shared -fPIC -o "$lib/libtls.so" tls.c
$cc -o tree/bin/uses-tls uses-tls.c -L"$lib" -ltls -Wl,-rpath,"$m/lib/start"

cat >static.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char **environ;
int main(void)
{
    for (char **v = environ; *v; v++)
        if (strncmp(*v, "_=", 2) != 0)
            puts(*v);
    fflush(stdout);
    setenv("ADDED", "1", 1);
    return system("printenv ADDED; env | grep -v ^_=") != 0;
}
C
t 'a static program, and what it starts, has the environment of the user and what the program added' '
    $cc -static -o tree/bin/static static.c 2>/dev/null || skip "no static programs here"
    plain_and_watched "$m/bin/static"
    says ADDED=1 plain
    printf "#!$m/bin/static\n" >script
    chmod +x script
    plain_and_watched "$tmp/script"
    plain_and_watched "$m/bin/sh" -c "$m/bin/static; exec $m/bin/static"
'

cat >first.c <<'C'
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
extern char **environ;
/* What $FIRST says, before the program's own code: s set a variable; u remove LD_PRELOAD; p set it; c a shell; t a child. */
__attribute__((constructor)) static void first(void)
{
    char *const words[] = {"uses-tls", "in.dat", "/usr/bin/id", NULL};
    const char *what = getenv("FIRST");
    pid_t pid;
    for (; what && *what; what++) {
        if (*what == 's')
            setenv("FROM_LIBRARY", "1", 1);
        if (*what == 'u')
            unsetenv("LD_PRELOAD");
        if (*what == 'p')
            setenv("LD_PRELOAD", "libdl.so.2", 1);
        if (*what == 'c' && system("printenv FROM_LIBRARY") != 0)
            _Exit(90);
        if (*what == 't' && posix_spawn(&pid, getenv("UNFIT"), NULL, NULL, words, environ) == 0)
            waitpid(pid, NULL, 0);
    }
}
int of_library(void);
int of_library(void) { return 3; }
C
cat >uses-first.c <<'C'
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char **environ;
int of_library(void);
static void list_print(char **v)
{
    for (; *v; v++)
        if (strncmp(*v, "_=", 2) != 0)
            puts(*v);
}
int main(int argc, char **argv)
{
    char **env = argv + argc + 1;
    list_print(environ);
    puts("of the kernel:");
    if (!strchr(getenv("FIRST"), 'p')) /* it holds LD_PRELOAD then, for which plain makes a list of its own */
        list_print(env);
    while (*env)
        env++;
    while (!*env)
        env++;
    for (Elf64_auxv_t *v = (Elf64_auxv_t *)env; v->a_type != AT_NULL; v++)
        if (v->a_type == AT_PAGESZ || v->a_type == AT_CLKTCK)
            printf("%lu %lu\n", (unsigned long)v->a_type, (unsigned long)v->a_un.a_val);
    fflush(stdout);
    return system("env | grep -v ^_=") + of_library() + argc - 1 + !argv[0];
}
C
$cc -shared -fPIC -o "$lib/libfirst.so" first.c
$cc -o tree/bin/uses-first uses-first.c -L"$lib" -lfirst -Wl,-rpath,"$m/lib/start"
t 'a constructor of a library sets and removes variables before anything of ours runs' '
    export FIRST
    for FIRST in s u p su us ps; do
        for user in libm.so.6 ""; do
            echo "$FIRST, LD_PRELOAD=$user"
            LD_PRELOAD=$user plain_and_watched "$m/bin/uses-first"
        done
        echo "$FIRST"
        (unset LD_PRELOAD; plain_and_watched "$m/bin/uses-first")
        grep -q "^6 [1-9]" plain # the auxiliary vector
    done
'
t 'it starts a shell: that has the variable, too' '
    export FIRST=sc
    plain_and_watched "$m/bin/uses-first"
    [ "$(head -1 plain)" = 1 ]
'
t 'it starts a program that cannot have our objects: that is started with its own words' '
    export FIRST=t UNFIT=$m/bin/uses-tls
    plain_and_watched "$m/bin/uses-first"
    [ "$(head -1 plain)" = "unfit 1 [in.dat] [/usr/bin/id]" ]
    FIRST=st plain_and_watched "$m/bin/uses-first"
'

t 'a program that must be measured before it starts, and cannot be: behind the loader' '
    [ "$loader" ] || skip "no loader found"
    plain_and_watched "$loader" "$m/bin/uses-tls" a
    [ "$(cat plain)" = "unfit 1 [a]" ]
    [ "$status" = 7 ]
    plain_and_watched "$m/bin/sh" -c "exec $loader $m/bin/uses-tls b"
'
t 'the same: one that may be executed and not read' '
    [ "$(id -u)" = 0 ] || skip "not root"
    command -v setpriv >/dev/null || skip "no setpriv"
    mkdir -p whole/bin whole/libexec/loadcast nobody own
    cp "$build/loadcast" whole/bin/
    cp "$build/loadcast-full" "$build"/src/client/*/loadcast-*.so whole/libexec/loadcast/
    chmod -R a+rX whole
    chmod 755 "$tmp"
    mkdir -m 700 nobody/store nobody/node
    chown -R 65534 nobody
    cp "$lib/libtls.so" own/
    $cc -o own/uses-tls uses-tls.c -Lown -ltls -Wl,-rpath,"$tmp/own"
    chmod 755 own own/libtls.so
    chmod 111 own/uses-tls
    printf "#!$tmp/own/uses-tls\n" >own/script
    chmod 755 own/script
    for program in own/uses-tls own/script; do
        code 7 setpriv --reuid 65534 --regid 65534 --clear-groups "$program" c
        cp out plain
        HOME=$tmp/nobody LOADCAST_STORE=$tmp/nobody/store LOADCAST_DIR=$tmp/nobody/node \
            code 7 setpriv --reuid 65534 --regid 65534 --clear-groups whole/bin/loadcast run -- "$program" c
        same plain out
        says "is watched" err
        grep -v "^loadcast run: no image of" err | nothing
    done
'
t 'what was seen of a start that was given up is not kept' '
    echo "int main(void) { return 6; }" >six.c
    $cc -fsanitize=address -o tree/bin/asan six.c 2>/dev/null || skip "no AddressSanitizer"
    unset ASAN_OPTIONS
    for round in 1 2 3; do
        plain_and_watched "$m/bin/asan"
        [ "$status" = 6 ]
        wait_until nothing_watches
        find "$store" -type f | grep -v "/\." | nothing
    done
'

cat >srun.sh <<'S'
#!/bin/sh
# srun, on the node itself; what it starts is told to $STARTED. In a container there is no loader by that name.
other_root=${SLURM_CONTAINER:+yes}
while case ${1-} in -*) ;; *) false ;; esac; do
    case $1 in --container*) other_root=yes ;; esac
    shift
done
echo "$1" >"$STARTED"
case $other_root$1 in
yes*/ld-linux* | yes*/ld64*) echo "srun: error: execve(): $1: No such file or directory" >&2; exit 2 ;;
esac
SLURM_PROCID=0 exec "$@"
S
mkdir bin
cp srun.sh bin/srun
chmod +x bin/srun
slurm_job_begin() {
    PATH=$tmp/bin:$PATH
    export PATH STARTED="$tmp/started" SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=1 SLURM_JOB_NODELIST=a SLURMD_NODENAME=a
}
t 'ranks in a container, whose root has no such loader; the control: elsewhere it stands before the shell' '
    [ "$loader" ] || skip "no loader found"
    slurm_job_begin
    plain_and_watched srun "$m/bin/ls" -d /
    [ "$(cat started)" = "$loader" ] || skip "no loader before the shell here: $(cat started)"
    plain_and_watched srun --container=bundle "$m/bin/ls" -d /
    plain_and_watched srun --container-image=image.sqsh --container-mounts=/a:/b "$m/bin/ls" -d /
    SLURM_CONTAINER=bundle plain_and_watched srun "$m/bin/ls" -d /
'
t 'a static /bin/sh, which the loader cannot start' '
    slurm_job_begin
    cp -L /bin/sh real-sh
    cat >static-sh.c <<-C
	#include <unistd.h>
	int main(int argc, char **argv) { return execv("$tmp/real-sh", argv) + argc; }
	C
    $cc -static -o static-sh static-sh.c 2>/dev/null || skip "no static programs here"
    own_shell() { job unshare -m "$tmp/real-sh" -c "mount --bind \"\$1\" \"\$2\" && shift 2 && exec \"\$@\"" sh "$tmp/static-sh" "$(readlink -f /bin/sh)" "$@"; }
    own_shell true 2>/dev/null || skip "no mount namespaces"
    code 0 own_shell srun "$m/bin/ls" -d /
    cp out plain
    forget
    code 0 own_shell "$build/loadcast" run -- srun "$m/bin/ls" -d /
    same plain out
    says "is watched" err
    grep -v "^loadcast run: no image of" err | nothing
'

cat >large.c <<'C'
#define _GNU_SOURCE
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
/* large TIMES FILE PROGRAM: maps 64 MiB so many times, starts the program, and writes to FILE how many were measured */
int main(int argc, char **argv)
{
    enum { BYTES = 64 << 20 };
    char pattern[4200];
    int fd = memfd_create("large", 0), status = 0;
    glob_t found;
    pid_t pid;
    if (argc < 4 || ftruncate(fd, BYTES) != 0)
        return 1;
    for (int i = atoi(argv[1]); i > 0; i--)
        if (mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0) == MAP_FAILED)
            return 2;
    close(fd);
    if (posix_spawn(&pid, argv[3], NULL, NULL, argv + 3, environ) != 0 || waitpid(pid, &status, 0) != pid)
        return 3;
    snprintf(pattern, sizeof(pattern), "%s/loadcast-watch.*/fit.*", getenv("LOADCAST_DIR"));
    FILE *out = fopen(argv[2], "w");
    fprintf(out, "%d\n", glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0);
    return fclose(out) || status;
}
C
$cc -o tree/bin/large large.c
t 'a process of more than a gigabyte is not forked to measure a program that it starts; the control: a smaller one is' '
    plain_and_watched "$m/bin/large" 1 "$tmp/measured" "$m/bin/ls" -d /
    [ "$(cat measured)" = 1 ]
    plain_and_watched "$m/bin/large" 20 "$tmp/measured" "$m/bin/ls" -d /
    [ "$(cat measured)" = 0 ]
'
at_exit "umount '$tmp/small'"
t 'lines are kept in memory only where there is ample; the control: where it is' '
    [ "$(id -u)" = 0 ] || skip "not root"
    mkdir -m 700 small
    for size in 64m 512m; do
        mount -t tmpfs -o mode=700,size=$size none small 2>/dev/null || skip "cannot mount"
        export LOADCAST_DIR=$tmp/small
        forget
        rm -f go started
        job "$build/loadcast" run -q -- "$m/bin/sh" -c ": >$tmp/started; while [ ! -e $tmp/go ]; do sleep 0.05; done; exit 3" &
        line=$!
        wait_until test -e started
        ls small/loadcast-watch.* >logs.$size
        touch go
        got=0
        wait $line || got=$?
        [ "$got" = 3 ]
        wait_until nothing_watches
        umount small
    done
    says loadcast-calls logs.64m
    lacks .lines logs.64m
    says .lines logs.512m
'
t 'nothing is left behind' '
    wait_until nothing_watches
'
finish
