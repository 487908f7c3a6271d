# Two versions of one symbol, each with its users: the address says which.
cat >x.c <<'E'
int old(void) { return 1; } int new(void) { return 2; }
__asm__(".symver old,f@V1"); __asm__(".symver new,f@@V2");
E
echo 'V1 { }; V2 { };' >x.map
echo 'V1 { global: f; };' >y.map
cat >u1.c <<'E'
int f(void); int user1(void) { return f(); } int (*address1(void))(void) { return f; }
E
sed 's/1(/2(/g' u1.c >u2.c
cat >m.c <<'E'
#include <stdio.h>
int user1(void), user2(void); int (*address1(void))(void); int (*address2(void))(void);
int main(void) { printf("%d %d %d\n", user1(), user2(), address1() == address2()); return 0; }
E
echo 'int f(void) { return 0; }' >f.c
mkdir -p first
lib first/libx.so f.c -Wl,--version-script=y.map -Wl,-soname,libx.so
lib libuser1.so u1.c first/libx.so
lib libx.so x.c -Wl,--version-script=x.map -Wl,-soname,libx.so
lib libuser2.so u2.c -lx
prog main m.c -luser1 -luser2 -lx
