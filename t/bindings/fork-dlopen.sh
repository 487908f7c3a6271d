# fork, then dlopen in child and parent.
. "$traps/reopen.sh"
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int child = fork();
    if (child)
        waitpid(child, 0, 0);
    int (*f)(void) = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_NOW), "f");
    printf("%s %d\n", child ? "parent" : "child", f());
    return 0;
}
E
prog main m.c -ldl
