/* SPDX-License-Identifier: MIT */
/* embed.c - build tool: files into a C table, so that loadcast carries them with it
 * usage: embed OUTPUT HEADER TABLE FILE...: 'const struct lc_embedded TABLE[]', declared in HEADER
 */
#include <stdio.h>
#include <string.h>

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int add_bytes(FILE *out, const char *path, int number)
{
    FILE *in = fopen(path, "rb");
    int c, n = 0;

    if (!in)
        return -1;
    fprintf(out, "static const char file%d[] = {", number);
    while ((c = getc(in)) != EOF)
        fprintf(out, "%s%d,", n++ % 24 ? "" : "\n", c > 127 ? c - 256 : c);
    fprintf(out, "\n0};\n");
    return fclose(in);
}

int main(int argc, char **argv)
{
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;

    if (!out || argc < 4)
        return 2;
    fprintf(out, "#include \"%s\"\n", argv[2]);
    for (int i = 4; i < argc; i++)
        if (add_bytes(out, argv[i], i) < 0)
            return 1;
    fprintf(out, "const struct lc_embedded %s[] = {\n", argv[3]);
    for (int i = 4; i < argc; i++)
        fprintf(out, "{\"%s\", file%d, sizeof(file%d) - 1},\n", base(argv[i]), i, i);
    fprintf(out, "{0, 0, 0}};\n");
    return fclose(out) ? 1 : 0;
}
