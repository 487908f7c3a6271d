# Two libraries with a default version of one symbol: each user gets the one it was linked to.
for i in 1 2; do
    echo "int f_$i(void) { return $i; } __asm__(\".symver f_$i,f@@V$i\");" >x$i.c
    echo "V$i { global: f; local: *; };" >x$i.map
    lib libx$i.so x$i.c -Wl,--version-script=x$i.map
    echo "int f(void); int user$i(void) { return f(); } int (*p$i)(void) = f;" >u$i.c
    lib libu$i.so u$i.c -lx$i
done
cat >m.c <<'E2'
#include <dlfcn.h>
#include <stdio.h>
int user1(void), user2(void); extern int (*p1)(void), (*p2)(void);
int main(void)
{
    printf("%d %d %d %d %d\n", user1(), user2(), p1(), p2(), p1 == p2);
    printf("%d\n", ((int (*)(void))dlvsym(RTLD_DEFAULT, "f", "V2"))());
    return 0;
}
E2
sed -i '1i #define _GNU_SOURCE' m.c
prog main m.c -lu1 -lu2 -ldl -Wl,-rpath-link,.
