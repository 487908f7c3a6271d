# PROT_BTI: code that needs landing places keeps that protection; return addresses are signed (PAC).
[ "$(uname -m)" = aarch64 ] || skip 'another machine'
cat >x.c <<'E'
int other(void);
int landing(void) { return 1 + other(); }
int (*later)(void) = other;
__asm__(".text\n.globl no_landing\n.type no_landing,%function\nno_landing:\nmov w0, #2\nret\n.size no_landing, .-no_landing\n");
E
echo 'int other(void) { return 10; }' >y.c
cat >m.c <<'E'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int landing(void), no_landing(void);
extern int (*later)(void);
static void try(const char *name, int (*volatile f)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(f());
    waitpid(pid, &status, 0);
    printf("%s: status %d, signal %d\n", name, WEXITSTATUS(status), WTERMSIG(status));
}
int main(void)
{
    setvbuf(stdout, 0, _IONBF, 0);
    try("landing", landing);
    try("later", later);
    try("no landing", no_landing);
    return 0;
}
E
protected='-mbranch-protection=standard -nostartfiles -Wl,-z,force-bti'
lib liby.so y.c $protected
lib libx.so x.c $protected -ly
readelf -dW libx.so | grep -q BTI_PLT || skip 'the linker makes no PLT with landing places'
prog main m.c -mbranch-protection=standard -lx
./main | grep -q 'no landing: status 0, signal 4' || skip 'this processor, kernel or C library has no BTI'
