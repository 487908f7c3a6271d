# LD_LIBRARY_PATH leads the run to another library of the same name, with other offsets.
mkdir -p a b
echo 'int f(void) { return 1; }' >x.c
echo 'int before[100]; int other(void) { return 7; } int f(void) { return other(); }' >x2.c
cat >m.c <<'C'
#include <stdio.h>
int f(void); int main(void) { printf("%d\n", f()); return 0; }
C
$cc -shared -fPIC x.c -o a/libx.so
$cc -shared -fPIC x2.c -o b/libx.so
$cc m.c -o main -La -lx
with=LD_LIBRARY_PATH=$PWD/a
run_with=LD_LIBRARY_PATH=$PWD/b
want='refused'
