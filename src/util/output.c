/* SPDX-License-Identifier: MIT */
/* output.c - a file that appears whole or not at all */
#include "util/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void lc_output_heed_limits(void)
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
    *out = (struct lc_output){.file = file};
    if (strcmp(file, "-") == 0) {
        out->stream = stdout;
        return 0;
    }
    if (is_plain_or_absent(file) && asprintf(&out->fresh, "%s.%ld.tmp", file, (long)getpid()) < 0)
        out->fresh = NULL;
    out->stream = fopen(out->fresh ? out->fresh : file, "we");
    if (out->stream)
        return 0;
    lc_error_errno(err, "cannot write '%s'", file);
    free(out->fresh);
    return -1;
}

int lc_output_close(struct lc_output *out, bool keep, struct lc_error *err)
{
    bool bad = fflush(out->stream) || ferror(out->stream);
    int saved = errno;

    if (out->stream != stdout && fclose(out->stream) && !bad) {
        bad = true;
        saved = errno;
    }
    if (out->fresh && keep && !bad && rename(out->fresh, out->file) < 0) {
        bad = true;
        saved = errno;
    }
    if (out->fresh && (bad || !keep))
        unlink(out->fresh);
    free(out->fresh);
    errno = saved;
    return bad && keep ? lc_error_errno(err, "cannot write '%s'", out->file) : 0;
}
