# Thread-local storage of a library opened later; TLS descriptors where the compiler has them.
cat >x.c <<'E'
__thread int n = 4;
int bump(void) { return n++; }
E
cat >m.c <<'E'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static int (*bump)(void);
static void *work(void *a) { (void)a; printf("%d", bump()); printf("%d\n", bump()); return 0; }
int main(void)
{
    pthread_t t;
    bump = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_LAZY), "bump");
    work(0); pthread_create(&t, 0, work, 0); pthread_join(t, 0);
    return 0;
}
E
lib libx.so x.c $descriptors
prog main m.c -ldl -lpthread
