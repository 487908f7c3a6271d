# One function has one address, whoever takes it: a program that is not PIE has it in its PLT.
echo 'int f(void) { return 1; } int (*lib1(void))(void) { return f; } int (*data1)(void) = f;' >x.c
echo 'int f(void); int (*lib2(void))(void) { return f; } int (*data2)(void) = f;' >y.c
cat >m.c <<'E'
#include <stdio.h>
int f(void); int (*lib1(void))(void); int (*lib2(void))(void); extern int (*data1)(void), (*data2)(void);
int main(void) { int (*p)(void) = f; printf("%d%d%d%d\n", p == lib1(), p == lib2(), p == data1, p == data2); return 0; }
E
lib libx.so x.c
lib liby.so y.c -lx
prog main m.c -lx -ly -no-pie -fno-pie
