/* SPDX-License-Identifier: MIT */
/* shell-calls.c - system, popen and wordexp: a shell started from inside the C library */
#include <wordexp.h>

#include "case.h"

static void read_from(const char *command)
{
    char line[256];
    FILE *f = popen(command, "r");

    while (fgets(line, sizeof(line), f))
        printf("  %s", line);
    printf("popen %s: %x\n", command, pclose(f));
}

int main(void)
{
    wordexp_t words;

    setvbuf(stdout, NULL, _IONBF, 0);
    SHOW(system("cat data/file; exit 3"));
    SHOW(system("data/program from system"));
    SHOW(system("no-such-program 2>/dev/null"));
    SHOW(system(NULL));
    read_from("ls data/sub");
    read_from("cd data/sub && pwd && cat n1.txt");
    read_from("exit 5");
    SHOW(wordexp("data/sub/n*.txt $(echo two words)", &words, 0));
    for (size_t i = 0; i < words.we_wordc; i++)
        printf("  %s\n", words.we_wordv[i]);
    wordfree(&words);
}
