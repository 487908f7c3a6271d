# Constructors run in the same order, and see what they shall see.
for i in a b c d; do
    echo "#include <stdio.h>
int ${i}_done;
__attribute__((constructor)) static void up(void) { ${i}_done = 1; puts(\"+$i\"); }
__attribute__((destructor)) static void down(void) { puts(\"-$i\"); }
int $i(void) { return ${i}_done; }" >$i.c
done
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int a(void), b(void);
__attribute__((constructor)) static void up(void) { printf("main %d%d\n", a(), b()); }
int main(void) { void *h = dlopen("./libd.so", RTLD_NOW); puts("opened"); dlclose(h); puts("closed"); return 0; }
E
lib libc1.so c.c
lib liba.so a.c -Wl,--no-as-needed -lc1
lib libb.so b.c -Wl,--no-as-needed -la -lc1
lib libd.so d.c -Wl,--no-as-needed -lb
prog main m.c -Wl,--no-as-needed -lb -la -ldl
