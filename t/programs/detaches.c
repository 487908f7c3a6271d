/* SPDX-License-Identifier: MIT */
/* detaches.c - can a process start another that it need not wait for? Emulators have no clone
 * without a signal. */
#include <sys/wait.h>
#include <unistd.h>

#include "util/detached.h"

int main(void)
{
    pid_t child = lc_detached_fork();

    if (child == 0)
        _exit(0);
    return child < 0 || waitpid(child, NULL, __WALL) != child;
}
