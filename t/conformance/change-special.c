/* SPDX-License-Identifier: MIT */
/* change-special.c - pipes and sockets made by name */
#include <sys/socket.h>
#include <sys/un.h>

#include "seen.h"

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "data/socket"};
    int s = socket(AF_UNIX, SOCK_STREAM, 0);

    SHOW(mkfifo("data/none", 0600));
    seen("data/none");
    SHOW(mkfifoat(AT_FDCWD, "data/none", 0600));
    SHOW(mkfifoat(AT_FDCWD, "data/pipe", 0600));
    SHOW(mknod("data/plain", S_IFREG | 0600, 0));
    seen("data/plain");
    SHOW(access("data/socket", F_OK));
    SHOW(bind(s, (struct sockaddr *)&at, sizeof(at)));
    SHOW(access("data/socket", F_OK));
    SHOW(listen(s, 1));
    SHOW(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&at, sizeof(at)));
    seen("data");
}
