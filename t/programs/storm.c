/* SPDX-License-Identifier: MIT */
/* storm.c - threads open, ask and close at once what one library has brought
 *
 *   storm THREADS ROUNDS SEED ROOT|each MODULE...
 *
 * First while ROOT is held, then while one thread closes it. What a thread is told must be right
 * whatever the others do; in the end all is closed, everything was finalised as often as it was
 * initialised, and nothing is there any more. The output does not depend on who comes first.
 * With 'each', modules are opened one by one, and the first is held until one thread closes it.
 * Modules lie in .../libNAME.so, define f_NAME and need something that defines f_u1. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 64, HELD = 8 };

struct held {
    void *handle;
    int module;
};

static char **module, name[KINDS][32];
static int modules, rounds;
static void *root;
static int live[KINDS], kinds, wrong, is_last_phase, is_closed;
static char kind[KINDS][32];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Libraries tell when they come and go. */
void storm(const char *self, int change);
void storm(const char *self, int change)
{
    int i = 0;

    pthread_mutex_lock(&lock);
    while (i < kinds && strcmp(kind[i], self) != 0)
        i++;
    if (i == kinds)
        snprintf(kind[kinds++], sizeof(kind[0]), "%s", self);
    live[i] += change;
    if (live[i] < 0 || live[i] > 1)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&lock);
}

static void check(int is_right, const char *what, const char *of)
{
    if (is_right)
        return;
    __atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
    fprintf(stderr, "%s %s: %s\n", what, of, dlerror());
}

static void ask(const struct held *h, unsigned how)
{
    const char *wanted = how % 32 == 0 ? "f_u1" : how % 32 == 1 ? "f_none" : name[h->module];
    int (*f)(void) = (int (*)(void))dlsym(h->handle, wanted);

    if (how % 32 == 1)
        check(!f, "found", wanted);
    else
        check(f && f() > 0, "cannot call", wanted);
}

static void open_one(struct held *h, unsigned how)
{
    static const int extra[] = {0, 0, 0, RTLD_NOLOAD, 0, RTLD_GLOBAL, RTLD_NOLOAD | RTLD_GLOBAL, 0};
    int flags = (how & 1 ? RTLD_NOW : RTLD_LAZY) | extra[how / 2 % 8];

    h->module = (int)(how / 16 % (unsigned)modules);
    h->handle = dlopen(module[h->module], flags);
    if (!(flags & RTLD_NOLOAD) || !is_last_phase)
        check(h->handle != NULL, "cannot open", module[h->module]);
}

static void *work(void *arg)
{
    unsigned seed = (unsigned)(size_t)arg;
    struct held held[HELD] = {0};

    for (int i = 0; i < rounds; i++) {
        struct held *h = &held[rand_r(&seed) % HELD];
        unsigned how = (unsigned)rand_r(&seed);
        if (!h->handle) {
            open_one(h, how);
        } else if (how % 3) {
            ask(h, how / 3);
        } else {
            check(dlclose(h->handle) == 0, "cannot close", module[h->module]);
            h->handle = NULL;
        }
        if (is_last_phase && i == rounds / 4 &&
            !__atomic_exchange_n(&is_closed, 1, __ATOMIC_SEQ_CST))
            check(dlclose(root) == 0, "cannot close", "root");
    }
    for (int i = 0; i < HELD; i++)
        if (held[i].handle)
            check(dlclose(held[i].handle) == 0, "cannot close", "at the end");
    return NULL;
}

static void run_all(int threads, size_t seed)
{
    pthread_t thread[64];

    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)(seed * 64 + (size_t)i)) != 0)
            exit(3);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static void read_names(void)
{
    for (int i = 0; i < modules; i++)
        snprintf(name[i], sizeof(name[i]), "f_%.*s", (int)strcspn(strrchr(module[i], '/') + 4, "."),
                 strrchr(module[i], '/') + 4);
}

static void tell(const char *when)
{
    for (int i = 0; i < modules; i++) {
        void *h = dlopen(module[i], RTLD_NOW | RTLD_NOLOAD);
        printf("%s: %s %s\n", when, name[i], h ? "is there" : "is gone");
        if (h)
            check(dlclose(h) == 0, "cannot close", name[i]);
    }
    for (int i = 0; i < kinds; i++)
        printf("%s: %s %d\n", when, kind[i], live[i]);
}

/* All of them twice, so that the second time finds what the first has left behind. */
static void open_each(void)
{
    void *all[KINDS];

    for (int times = 0; times < 2; times++) {
        for (int i = 0; i < modules; i++) {
            all[i] = dlopen(module[i], RTLD_NOW);
            check(all[i] != NULL, "cannot open", module[i]);
        }
        tell("opened");
        for (int i = times; i < modules; i++)
            check(dlclose(all[i]) == 0, "cannot close", module[i]);
    }
    root = all[0];
}

static void hold_root(const char *path, int threads, size_t seed)
{
    root = dlopen(path, RTLD_NOW);
    check(root != NULL, "cannot open", path);
    tell("brought"); /* by this thread: from here on it is known that the dlopen has returned */
    run_all(threads, seed);
    tell("held");
}

int main(int argc, char **argv)
{
    if (argc < 6 || argc - 5 > KINDS || atoi(argv[1]) > 64)
        return 2;
    int threads = atoi(argv[1]);
    size_t seed = strtoul(argv[3], NULL, 10);
    rounds = atoi(argv[2]);
    module = argv + 5;
    modules = argc - 5;
    read_names();
    if (strcmp(argv[4], "each") == 0)
        open_each();
    else
        hold_root(argv[4], threads, seed);
    is_last_phase = 1;
    run_all(threads, seed + 1);
    tell("closed");
    printf("wrong %d\n", wrong);
    return wrong != 0;
}
