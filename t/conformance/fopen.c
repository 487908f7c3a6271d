/* SPDX-License-Identifier: MIT */
/* fopen.c - streams: fopen, fopen64, freopen, freopen64, and modes that only read */
#include "case.h"

static void show(const char *how, const char *what, FILE *f)
{
    char line[64] = "";

    if (!f) {
        printf("%s %s: %s\n", how, what, error_name(errno));
        return;
    }
    char *got = fgets(line, sizeof(line), f);
    fseek(f, 0, SEEK_END);
    printf("%s %s: '%.10s' of %ld%s, cloexec %d\n", how, what, got ? line : "", ftell(f),
           ferror(f) ? ", error" : "", fcntl(fileno(f), F_GETFD));
    fclose(f);
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"r", "rb", "re", "rm", "rc", "r,ccs=UTF-8", "q", ""};
    FILE *(*const open64)(const char *, const char *) = spelling("fopen64");
    FILE *(*const reopen64)(const char *, const char *, FILE *) = spelling("freopen64");

    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++) {
        for (size_t k = 0; k < sizeof(modes) / sizeof(*modes); k++)
            show(modes[k], places[i].what, fopen(places[i].path, modes[k]));
        show("fopen64", places[i].what, open64(places[i].path, "r"));
        show("freopen", places[i].what, freopen(places[i].path, "r", fopen("/dev/null", "r")));
        show("freopen64", places[i].what, reopen64(places[i].path, "r", fopen("/dev/null", "r")));
    }
}
