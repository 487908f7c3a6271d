/* SPDX-License-Identifier: MIT */
/* working-directory.c - chdir, fchdir, getcwd and what relative names mean afterwards */
#include "case.h"

static void where(const char *when)
{
    char *cwd = get_current_dir_name();

    printf("%s: %s, leaf %s, file %s\n", when, cwd ? cwd : error_name(errno),
           outcome(access("leaf", R_OK)), outcome(access("file", R_OK)));
    free(cwd);
}

int main(int argc, char **argv)
{
    char small[4];
    int home = open(".", O_RDONLY);

    (void)argc;
    unsetenv("PWD");
    where("at first");
    SHOW(chdir("data/sub/deep"));
    where("below");
    show_fd("open", "leaf", open("leaf", O_RDONLY));
    show_fd("open", "../../file", open("../../file", O_RDONLY));
    SHOW(chdir("../.."));
    where("above");
    SHOW(chdir("to-dir/deep"));
    where("through a link");
    SHOW(chdir("none"));
    SHOW(chdir("leaf"));
    SHOW(chdir(joined(argv[1], "/data/closed")));
    SHOW(chdir(joined(argv[1], "/data/loop")));
    SHOW(fchdir(home));
    where("back");
    SHOW((long)(getcwd(small, sizeof(small)) ? 0 : -1));
    int fd = open("data/sub", O_RDONLY | O_DIRECTORY);
    SHOW(fchdir(fd));
    where("by descriptor");
    show_fd("open", "n1.txt", open("n1.txt", O_RDONLY));
    int file = open("n1.txt", O_RDONLY);
    SHOW(fchdir(file));
    SHOW(chdir("/"));
    where("root");
}
