/* SPDX-License-Identifier: MIT */
/* facts.c - what earlier jobs measured: one small file "fact.NAME" each */
#include "store/facts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/dir.h"

/* The file's name. False if this is no name of a fact. */
static bool file_name(char out[LC_STORE_FACT_NAME + 8], const char *name)
{
    size_t n = strlen(name);

    if (n == 0 || n > LC_STORE_FACT_NAME ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") < n)
        return false;
    snprintf(out, LC_STORE_FACT_NAME + 8, "fact.%s", name);
    return true;
}

bool lc_store_fact_read(const char *name, char *out, size_t size)
{
    char file[LC_STORE_FACT_NAME + 8];
    struct lc_store_dir dir;
    int saved = errno;
    bool is_known = false;

    if (file_name(file, name) && lc_store_dir_open(&dir, false, NULL) == 0) {
        is_known = lc_store_dir_get(&dir, file, out, size) > 0;
        lc_store_dir_close(&dir);
    }
    if (is_known)
        out[strcspn(out, "\n")] = '\0';
    errno = saved;
    return is_known && out[0];
}

void lc_store_fact_write(const char *name, const char *value)
{
    char file[LC_STORE_FACT_NAME + 8];
    struct lc_store_dir dir;
    int saved = errno;

    if (file_name(file, name) && lc_store_dir_open(&dir, true, NULL) == 0) {
        lc_store_dir_put(&dir, file, value, strlen(value));
        lc_store_dir_close(&dir);
    }
    errno = saved;
}
