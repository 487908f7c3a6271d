/* SPDX-License-Identifier: MIT */
/* launcher_facts.c - what was found out about a launcher once */
#include "launch/launcher_facts.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/hash.h"
#include "util/buf.h"
#include "util/path.h"

static bool is_binary(const char *path)
{
    char magic[SELFMAG];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is = fd >= 0 && read(fd, magic, SELFMAG) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

bool lc_launcher_fact_name(char out[LC_FACT_NAME], const char *what, const char *program,
                           const char *more)
{
    char path[PATH_MAX];
    struct stat st;
    struct lc_buf key = {0};

    if (lc_path_find_program(path, sizeof(path), program, NULL) < 0 || stat(path, &st) < 0 ||
        !is_binary(path))
        return false;
    lc_buf_printf(&key, "%s\n%lld %lld.%09ld\n%s", path, (long long)st.st_size,
                  (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, more);
    snprintf(out, LC_FACT_NAME, "%s-%016" PRIx64, what,
             lc_hash(lc_buf_text(&key), strlen(lc_buf_text(&key))));
    bool is_named = !key.failed;
    lc_buf_free(&key);
    return is_named;
}
