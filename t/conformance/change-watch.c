/* SPDX-License-Identifier: MIT */
/* change-watch.c - inotify on served paths: changes made to the originals are told */
#include <sys/inotify.h>

#include "case.h"

static void tell(int watcher)
{
    char buffer[4096] __attribute__((aligned(8)));
    ssize_t n = read(watcher, buffer, sizeof(buffer));

    for (ssize_t at = 0; at < n;) {
        struct inotify_event *e = (struct inotify_event *)(buffer + at);
        printf("  event %x %s\n", e->mask, e->len ? e->name : "");
        at += (ssize_t)sizeof(*e) + e->len;
    }
    if (n < 0)
        printf("  %s\n", error_name(errno));
}

int main(void)
{
    int watcher = inotify_init1(IN_NONBLOCK);

    SHOW(inotify_add_watch(watcher, "data/file", IN_MODIFY | IN_ATTRIB));
    SHOW(inotify_add_watch(watcher, "data", IN_CREATE | IN_DELETE));
    SHOW(inotify_add_watch(watcher, "data/none", IN_MODIFY));
    SHOW(inotify_add_watch(watcher, "data/dangling", IN_MODIFY));
    int fd = open("data/file", O_RDONLY);
    tell(watcher);
    close(fd);
    fd = open("data/watched", O_WRONLY | O_CREAT, 0600);
    close(fd);
    tell(watcher);
    SHOW(unlink("data/watched"));
    tell(watcher);
    fd = open("data/file", O_WRONLY | O_APPEND);
    SHOW(write(fd, "x", 1));
    tell(watcher);
}
