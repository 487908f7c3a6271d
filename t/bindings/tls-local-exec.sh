# Thread-local storage, model local-exec in the program, read by a library and a thread through it.
cat >x.c <<'E2'
extern __thread int shared; int *where(void) { return &shared; } int add(int n) { return shared += n; }
E2
cat >m.c <<'E2'
#include <pthread.h>
#include <stdio.h>
__thread int shared = 7;
static __thread int own = 1;
int *where(void); int add(int);
static void *run(void *p) { own += add(5); return printf("%d %d %d\n", own, shared, where() == &shared) < 0 ? p : 0; }
int main(void)
{
    pthread_t t;
    add(3);
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    run(0);
    return 0;
}
E2
lib libx.so x.c
prog main m.c -lx -lpthread -ftls-model=local-exec -fPIE
