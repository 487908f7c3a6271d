/* SPDX-License-Identifier: MIT */
/* dl-tls.c - thread-local storage in libraries opened late: dynamic and initial-exec, per thread */
#include <pthread.h>

#include "case.h"

static int (*next)(void);

static void *work(void *arg)
{
    (void)arg;
    next();
    printf("in a thread: %d\n", next());
    return NULL;
}

int main(void)
{
    static const char *const paths[] = {"lib/libtls.so", "lib/libtls_static.so"};

    for (int i = 0; i < 2; i++) {
        void *h = dlopen(paths[i], RTLD_NOW);
        pthread_t t;
        printf("%s: %s\n", paths[i], h ? "open" : dlerror());
        next = (int (*)(void))dlsym(h, "next_count");
        next();
        next();
        printf("here: %d\n", next());
        pthread_create(&t, NULL, work, NULL);
        pthread_join(t, NULL);
        printf("here: %d\n", next());
    }
}
