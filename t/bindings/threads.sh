# dlopen in eight threads at once: some are replayed, some not, all are right.
for i in 0 1 2 3 4 5 6 7; do
    echo "int g(void); int f$i(void) { return g() + $i; }" >x$i.c
done
echo 'int g(void) { return 30; }' >g.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static int result[8];
static void *work(void *arg)
{
    long i = (long)arg;
    char file[20], name[8];
    snprintf(file, sizeof(file), "./libx%ld.so", i);
    snprintf(name, sizeof(name), "f%ld", i);
    int (*f)(void) = (int (*)(void))dlsym(dlopen(file, RTLD_NOW | (i % 3 ? 0 : RTLD_GLOBAL)), name);
    result[i] = f ? f() : -1;
    return 0;
}
int main(void)
{
    pthread_t t[8];
    for (long i = 0; i < 8; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 8; i++) pthread_join(t[i], 0);
    for (int i = 0; i < 8; i++) printf("%d ", result[i]);
    puts("");
    return 0;
}
E
lib libg.so g.c
for i in 0 1 2 3 4 5 6 7; do lib libx$i.so x$i.c -lg; done
prog main m.c -ldl -lpthread
want='any'
