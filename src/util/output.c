/* SPDX-License-Identifier: MIT */
/* output.c - write a file that is replaced completely or not at all */
#include "util/output.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/trusted_open.h"

void lc_output_ignore_sigxfsz(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

static bool is_plain_or_absent(const char *file)
{
    struct stat st;

    return lstat(file, &st) < 0 || S_ISREG(st.st_mode);
}

int lc_output_open(struct lc_output *out, const char *file, struct lc_error *err)
{
    char prefix[PATH_MAX];

    *out = (struct lc_output){.file = file, .fresh = LC_TEMPORARY_NONE};
    if (strcmp(file, "-") == 0) {
        out->stream = stdout;
        return 0;
    }
    if ((size_t)snprintf(prefix, sizeof(prefix), "%s.tmp", file) >= sizeof(prefix))
        errno = ENAMETOOLONG;
    else if (!is_plain_or_absent(file))
        return (out->stream = lc_trusted_open(file, "write ", err)) ? 0 : -1;
    else if (lc_temporary_open(&out->fresh, prefix) == 0)
        out->stream = lc_temporary_stream(&out->fresh);
    if (out->stream)
        return 0;
    lc_temporary_discard(&out->fresh);
    return lc_error_errno(err, "cannot write '%s'", file);
}

int lc_output_close(struct lc_output *out, bool keep, struct lc_error *err)
{
    bool bad = fflush(out->stream) || ferror(out->stream);
    int saved = errno;

    if (out->stream != stdout && fclose(out->stream) && !bad) {
        bad = true;
        saved = errno;
    }
    if (out->fresh.path && keep && !bad && lc_temporary_publish(&out->fresh, out->file, 0666) < 0) {
        bad = true;
        saved = errno;
    }
    lc_temporary_discard(&out->fresh);
    errno = saved;
    return bad && keep ? lc_error_errno(err, "cannot write '%s'", out->file) : 0;
}
