# dlopen from a constructor, of the program and of a library that is being opened.
echo 'int g(void) { return 4; }' >g.c
cat >x.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
__attribute__((constructor)) static void up(void)
{
    int (*g)(void) = (int (*)(void))dlsym(dlopen("./libg.so", RTLD_NOW), "g");
    printf("%s %d\n", WHO, g());
}
int f(void) { return 1; }
E
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int f(void);
int main(void) { printf("%d %d\n", f(), dlopen("./liby.so", RTLD_NOW) != 0); return 0; }
E
lib libg.so g.c
lib libx.so x.c -DWHO='"x"' -ldl
lib liby.so x.c -DWHO='"y"' -ldl
prog main m.c -lx -ldl
