/* SPDX-License-Identifier: MIT */
/* threads.c - many threads opening, asking and listing at once */
#include <dirent.h>
#include <pthread.h>

#include "case.h"

static long wrong;

static void *work(void *arg)
{
    unsigned seed = (unsigned)(long)arg;

    for (int i = 0; i < 400; i++) {
        struct stat st;
        char text[32] = "";
        int names = 0, which = (int)(rand_r(&seed) % 4);
        int fd = open("data/file", O_RDONLY);
        bool ok = fd >= 0 && read(fd, text, 19) == 19 && strcmp(text, "the quick brown fox") == 0;
        ok &= fstat(fd, &st) == 0 && st.st_size == 20;
        close(fd);
        ok &= stat(which & 1 ? "data/none" : "data/big", &st) == (which & 1 ? -1 : 0);
        DIR *d = opendir("data/sub");
        while (readdir(d))
            names++;
        closedir(d);
        ok &= names == 9;
        char *real = realpath("data/to-dir/deep/leaf", NULL);
        ok &= real && strstr(real, "/data/sub/deep/leaf");
        free(real);
        if (!ok)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[16];

    for (long i = 0; i < 16; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 16; i++)
        pthread_join(t[i], NULL);
    printf("wrong answers: %ld\n", wrong);
}
