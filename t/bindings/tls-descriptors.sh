# Thread-local storage by descriptors (TLSDESC): their rows are ld.so's, the others are replayed.
echo '__thread int t = 5; int get(void) { return t; }' >g.c
echo 'extern __thread int t; int get(void); int f(void) { return ++t + get(); }' >x.c
cat >m.c <<'E2'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
int f(void);
static void *run(void *p) { printf("%d\n", f()); return p; }
int main(void)
{
    pthread_t t;
    run(0);
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    int (*again)(void) = (int (*)(void))dlsym(dlopen("libx.so", RTLD_NOW | RTLD_NOLOAD), "f");
    return printf("%d\n", again()) < 0;
}
E2
lib libg.so g.c $descriptors 2>/dev/null || skip 'the compiler knows no TLS descriptors'
lib libx.so x.c $descriptors -lg
prog main m.c -lx -ldl -lpthread
