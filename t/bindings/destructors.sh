# Destructors run in the same order, in libraries that came at the start and later, and see each other.
for i in a b c; do
    cat >$i.c <<C
#include <stdio.h>
int ${i}_up = 1;
int ${i}(void) { return ${i}_up; }
__attribute__((destructor)) static void down(void) { printf("-$i %d\n", ${i}_up--); }
C
done
echo 'int a(void); int b(void); int both(void) { return a() + b(); }' >>c.c
lib liba.so a.c
lib libb.so b.c -la
lib libc1.so c.c -la -lb
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int a(void);
static void last(void) { printf("exit %d\n", a()); }
int main(void)
{
    atexit(last);
    int (*both)(void) = (int (*)(void))dlsym(dlopen("libc1.so", RTLD_NOW), "both");
    return printf("%d\n", both()) < 0;
}
E
prog main m.c -la -ldl
