# Thread-local storage, model global-dynamic, in two libraries and a thread.
cat >x.c <<'E'
__thread int shared = 5;
static __thread int own = 3;
int *where(void) { return &shared; }
int bump(void) { return shared++ + own++; }
E
cat >m.c <<'E'
#include <pthread.h>
#include <stdio.h>
extern __thread int shared; int *where(void); int bump(void);
static void *work(void *a) { (void)a; printf("%d %d %d\n", bump(), bump(), where() == &shared); return 0; }
int main(void) { pthread_t t; work(0); pthread_create(&t, 0, work, 0); pthread_join(t, 0); return 0; }
E
lib libx.so x.c -ftls-model=global-dynamic
prog main m.c -lx -lpthread
