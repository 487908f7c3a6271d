/* SPDX-License-Identifier: MIT */
/* streams.c - what is done with streams of served files: seek, unread, buffers, wide, memory */
#include <wchar.h>

#include "case.h"

int main(void)
{
    FILE *f = fopen("data/big", "r");
    char *line = NULL;
    size_t room = 0;
    char buffer[10000];
    int value = 0;

    SHOW(setvbuf(f, buffer, _IOFBF, sizeof(buffer)));
    SHOW(getline(&line, &room, f));
    SHOW(fscanf(f, "%d", &value));
    printf("%d\n", value);
    SHOW(ungetc('z', f));
    SHOW(fgetc(f));
    SHOW(fseek(f, -5, SEEK_END));
    SHOW(ftell(f));
    SHOW(fread(buffer, 1, 100, f));
    SHOW(feof(f) != 0);
    SHOW(fputc('x', f));
    SHOW(fflush(f));
    rewind(f);
    SHOW(getdelim(&line, &room, '9', f));
    SHOW(fileno(f) >= 0);
    SHOW(fclose(f));
    f = fdopen(open("data/file", O_RDONLY), "r");
    SHOW(fgetwc(f));
    SHOW(fwide(f, 0) > 0);
    SHOW(fclose(f));
    SHOW((long)(fdopen(open("data/file", O_RDONLY), "w") ? 0 : -1));
}
