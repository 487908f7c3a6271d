/* SPDX-License-Identifier: MIT */
/* plain_environment.c - take our variables out of the environment of a watched program
 *
 * This happens before the program's own code runs. So it sees its user's environment, and whatever
 * it starts by ways that we do not see starts as without us. */
#include "client/pilot/watched.h"

#include <elf.h>

#include "image/bytes.h"
#include "node/audit_fit.h"
#include "node/watched.h"

enum { TEXT = 24576 };

/* The strings are copied: programs that set their title write over those on the stack. */
static struct {
    struct lc_watched watched;
    char text[TEXT];
    size_t len;
} self;

const struct lc_watched *lc_watched(void)
{
    return &self.watched;
}

void lc_watched_end(void)
{
    self.watched.dir = NULL;
}

static const char *text_keep(const char *text)
{
    size_t n = lc_bytes_length(text) + 1;
    char *at = self.text + self.len;

    if (n > TEXT - self.len)
        return NULL;
    lc_bytes_move(at, text, n);
    self.len += n;
    return at;
}

/* ld.so's own variables are made anew for each program; what is a variable of ours goes to all. */
static void variable_keep(const char *text)
{
    struct lc_watched *w = &self.watched;
    const char *audit = lc_fit_value(text, LC_WATCHED_AUDIT);
    const char *preload = lc_fit_value(text, LC_WATCHED_PRELOAD);
    static const char ours[] = "LOADCAST_", again[] = LC_WATCHED_AGAIN;

    if (lc_bytes_compare(again, text, sizeof(again) - 1) == 0)
        return; /* for this program alone */
    if (audit)
        w->audit = text_keep(audit);
    if (preload)
        w->preload = text_keep(preload);
    if (lc_bytes_compare(ours, text, sizeof(ours) - 1) == 0 && w->variables < LC_WATCHED_VARIABLES)
        w->variable[w->variables++] = text_keep(text);
}

static bool text_begins(const char *text, const char *with)
{
    while (*with && *text == *with) {
        text++;
        with++;
    }
    return !*with;
}

/* The list of the kernel's ends here now: what follows must be the auxiliary vector, as programs
 * may expect. The original stays, since the C library knows its place. */
static void vector_copy(char **end)
{
    char **last = end + 1;
    Elf64_auxv_t *to = (Elf64_auxv_t *)(end + 1);
    size_t n = 0;

    while (*last)
        last++;
    const Elf64_auxv_t *from = (const Elf64_auxv_t *)(last + 1);
    while (from[n].a_type != AT_NULL)
        n++;
    if (to + n + 1 > from)
        return;
    for (size_t i = 0; i <= n; i++)
        to[i] = from[i];
}

void lc_watched_begin(int argc, char **argv, char **env)
{
    char **at = env;

    while (at && *at && !lc_fit_value(*at, LC_WATCHED_VARIABLE))
        at++;
    if (!at || !*at)
        return;
    const char *mark = text_keep(*at);
    for (char **ours = at + 1; *ours; ours++)
        variable_keep(*ours);
    *at = NULL;
    if (env == argv + argc + 1)
        vector_copy(at);
    for (char **v = env; *v; v++)
        if (text_begins(*v, LC_WATCHED_WAS))
            *v += sizeof(LC_WATCHED_WAS) - 1;
    self.watched.mark = mark;
    if (mark && self.watched.audit && self.watched.preload)
        self.watched.dir = lc_fit_value(mark, LC_WATCHED_VARIABLE);
}
