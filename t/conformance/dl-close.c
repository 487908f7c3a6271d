/* SPDX-License-Identifier: MIT */
/* dl-close.c - libraries closed and opened again, constructors that open files, many threads at
 * once */
#include <pthread.h>

#include "case.h"

static void *work(void *arg)
{
    long wrong = 0;

    for (int i = 0; i < 50; i++) {
        void *h = dlopen(arg, RTLD_NOW);
        const char *(*says)(void) = h ? (const char *(*)(void))dlsym(h, "libname_says") : NULL;
        if (!says || strcmp(says(), strstr(arg, "one") ? "one" : "two") != 0)
            wrong++;
        if (h)
            dlclose(h);
    }
    return (void *)wrong;
}

int main(void)
{
    pthread_t t[8];
    void *wrong, *sum = 0;

    for (int i = 0; i < 2; i++) {
        void *h = dlopen("lib/libctor.so", RTLD_NOW);
        printf("%s\n", h ? "open" : dlerror());
        printf("closed %d\n", dlclose(h));
    }
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, work, i & 1 ? "lib/one/libname.so" : "lib/two/libname.so");
    for (int i = 0; i < 8; i++) {
        pthread_join(t[i], &wrong);
        sum = (void *)((long)sum + (long)wrong);
    }
    printf("wrong answers: %ld\n", (long)sum);
}
