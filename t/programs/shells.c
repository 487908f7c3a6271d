/* SPDX-License-Identifier: MIT */
/* shells.c - start shells from inside the C library: shells DIR */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char command[4200], line[256];

    if (argc != 2)
        return 2;
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("a shell: %d\n", system(NULL));
    printf("status %d\n", system("echo by system; exit 3") >> 8);
    snprintf(command, sizeof(command), "for f in %s/*; do echo \"${f##*/}\"; done", argv[1]);
    FILE *f = popen(command, "r");
    while (fgets(line, sizeof(line), f))
        fputs(line, stdout);
    printf("closed: %d\n", pclose(f));
    f = popen("read line; echo \"got $line\"", "w");
    fputs("a line\n", f);
    printf("closed: %d\n", pclose(f));
}
