/* SPDX-License-Identifier: MIT */
/* change-temporary.c - mkstemp, mkdtemp and their family in a served directory */
#include "seen.h"

static int letters(const char *name)
{
    return (int)strspn(name + strlen("data/sub/t-"),
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
}

int main(void)
{
    char a[] = "data/sub/t-XXXXXX", b[] = "data/sub/t-XXXXXX", c[] = "data/sub/t-XXXXXX.x",
         d[] = "data/sub/t-XXXXXX.y", e[] = "data/sub/t-XXXXXX", bad[] = "data/sub/t-XXXX",
         lost[] = "data/none/t-XXXXXX";
    int before = names_in("data/sub");

    printf("%d %d\n", mkstemp(a) >= 0, letters(a));
    printf("%d %x\n", mkostemp(b, O_CLOEXEC) >= 0, access(b, R_OK));
    printf("%d %x\n", mkstemps(c, 2) >= 0, access(c, R_OK));
    printf("%d %x\n", mkostemps(d, 2, O_CLOEXEC) >= 0, access(d, R_OK));
    printf("%d %x\n", mkdtemp(e) != NULL, access(e, X_OK));
    printf("%d names more\n", names_in("data/sub") - before);
    SHOW(mkstemp(bad));
    SHOW(mkstemp(lost));
    SHOW(mkdtemp(lost) ? 0 : -1);
    SHOW(unlink(a));
    printf("%d names more\n", names_in("data/sub") - before);
    FILE *f = tmpfile();
    printf("tmpfile %d\n", f != NULL);
}
