/* SPDX-License-Identifier: MIT */
/* change-by-child.c - what another program of the same job writes is seen by this one */
#include <sys/wait.h>

#include "seen.h"

int main(void)
{
    seen("data/file");
    seen("data/none");
    fflush(stdout);
    SHOW(system("echo changed >data/file; echo new >data/none; rm data/empty; mv data/big "
                "data/large; mkdir data/made"));
    seen("data/file");
    seen("data/none");
    seen("data/empty");
    seen("data/big");
    seen("data/large");
    seen("data/made");
    seen("data");
    fflush(stdout);
    if (fork() == 0) {
        unlink("data/file");
        symlink("twin", "data/file");
        _exit(0);
    }
    wait(NULL);
    seen("data/file");
}
