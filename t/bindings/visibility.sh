# Protected and hidden symbols never leave their object.
cat >x.c <<'E'
__attribute__((visibility("protected"))) int p(void) { return 1; }
__attribute__((visibility("hidden"))) int h(void) { return 2; }
int (*list[])(void) = {p, h};
int sum(void) { return p() + h() + list[0]() + list[1](); }
E
cat >m.c <<'E'
#include <stdio.h>
int p(void) { return 10; } int h(void) { return 20; } int sum(void);
int main(void) { printf("%d\n", sum() + p() + h()); return 0; }
E
lib libx.so x.c
prog main m.c -lx -rdynamic
