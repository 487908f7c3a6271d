/* SPDX-License-Identifier: MIT */
/* small-stacks.c - path calls on the smallest thread stack there is */
#include <pthread.h>

#include "case.h"

static char leaf[] = "data/sub/deep/leaf";

static void *work(void *arg)
{
    struct stat st;
    static char to[64];

    (void)arg;
    printf("open %d\n", open(leaf, O_RDONLY) >= 0);
    printf("stat %d\n", stat("data/none", &st));
    printf("access %d\n", access("data/big", R_OK));
    printf("readlink %zd\n", readlink("data/to-dir", to, sizeof(to)));
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attributes;

    setvbuf(stdout, NULL, _IONBF, 0);
    pthread_attr_init(&attributes);
    SHOW(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN));
    int rc = pthread_create(&t, &attributes, work, NULL); /* told when it has no longer a voice */
    SHOW(pthread_join(t, NULL));
    SHOW(rc);
}
