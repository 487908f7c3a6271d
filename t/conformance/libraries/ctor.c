/* SPDX-License-Identifier: MIT */
/* ctor.c - a constructor that opens files and a library, and a destructor */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    int fd = open("data/file", O_RDONLY);

    printf("constructor: file %d, library %d\n", fd >= 0,
           dlopen("lib/one/libname.so", RTLD_NOW) != NULL);
    close(fd);
}

__attribute__((destructor)) static void end(void)
{
    printf("destructor: absent %d\n", access("data/none", F_OK));
}
