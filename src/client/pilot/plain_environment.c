/* SPDX-License-Identifier: MIT */
/* plain_environment.c - take our variables out of the environment of a watched program
 *
 * This happens before the program's own code runs. So it sees its user's environment, and whatever
 * it starts by ways that we do not see starts as without us. Only constructors of its libraries run
 * before: they may have set variables, for which the C library has made a list of its own. */
#include "client/pilot/watched.h"

#include <elf.h>

#include "image/bytes.h"
#include "node/audit_fit.h"
#include "node/watched.h"

enum { TEXT = 24576 };

extern char **environ __attribute__((weak));

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

    if (lc_bytes_compare(again, text, sizeof(again) - 1) == 0 ||
        lc_fit_value(text, LC_WATCHED_LAST))
        return; /* the first for this program alone, the last put anew */
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

/* Does one text hold the other? */
static bool text_has(const char *text, const char *part)
{
    while (*text && !text_begins(text, part))
        text++;
    return *text;
}

/* Our entries of a list: from the mark up to, and without, 'end'. Without them 'begin' is NULL. */
struct block {
    char **begin, **end;
};

static struct block block_find(char **list)
{
    struct block b = {list, NULL};

    while (*b.begin && !lc_fit_value(*b.begin, LC_WATCHED_VARIABLE))
        b.begin++;
    if (!*b.begin)
        return (struct block){NULL, NULL};
    for (b.end = b.begin; *b.end; b.end++)
        if (lc_fit_value(*b.end, LC_WATCHED_LAST))
            return (struct block){b.begin, b.end + 1};
    return b;
}

static bool is_replaced(const char *text, const char *name)
{
    return text_begins(text, LC_WATCHED_WAS) &&
           lc_fit_value(text + sizeof(LC_WATCHED_WAS) - 1, name);
}

static void entry_remove(char **at)
{
    while ((at[0] = at[1]))
        at++;
}

/* A variable to which we have added 'ours' may have been set or removed by a constructor. Then that
 * holds, and not what it was before. */
static void variable_settle(char **list, const char *name, const char *ours)
{
    const struct block b = block_find(list);
    char **was = list, **now = b.begin;

    while (now < b.end && !lc_fit_value(*now, name))
        now++;
    if (!ours || (now < b.end && text_has(*now, ours)))
        return;
    while (was < b.begin && !is_replaced(*was, name))
        was++;
    char *value = now < b.end ? *now : NULL;
    if (was < b.begin && !value) {
        entry_remove(was);
    } else if (value) { /* in the old one's place, or before the mark */
        for (; was == b.begin && now > was; now--)
            now[0] = now[-1];
        *was = value;
    }
}

/* Make it the user's list. */
static void list_restore(char **list)
{
    if (!block_find(list).begin)
        return;
    variable_settle(list, "LD_AUDIT", self.watched.audit);
    variable_settle(list, "LD_PRELOAD", self.watched.preload);
    const struct block b = block_find(list);
    for (char **to = b.begin, **from = b.end; (*to = *from); to++)
        from++;
    for (char **v = list; *v; v++)
        if (text_begins(*v, LC_WATCHED_WAS))
            *v += sizeof(LC_WATCHED_WAS) - 1;
}

/* The auxiliary vector, which follows the kernel's list. Where a variable was removed, that ends
 * with several NULLs. */
static const Elf64_auxv_t *vector_find(char **list)
{
    while (*list)
        list++;
    while (!*list)
        list++;
    return (const Elf64_auxv_t *)list;
}

/* The list of the kernel's has become shorter: what follows must be the auxiliary vector, as
 * programs may expect. The original stays, since the C library knows its place. */
static void vector_copy(char **list, const Elf64_auxv_t *from)
{
    size_t n = 0;

    while (*list)
        list++;
    Elf64_auxv_t *to = (Elf64_auxv_t *)(list + 1);
    while (from[n].a_type != AT_NULL)
        n++;
    if (to + n + 1 > from)
        return;
    for (size_t i = 0; i <= n; i++)
        to[i] = from[i];
}

void lc_watched_begin(int argc, char **argv, char **env)
{
    struct lc_watched *w = &self.watched;
    const struct block b = env ? block_find(env) : (struct block){NULL, NULL};

    if (!b.begin)
        return;
    w->mark = text_keep(*b.begin);
    for (char **ours = b.begin + 1; ours < b.end; ours++)
        variable_keep(*ours);
    const Elf64_auxv_t *vector = env == argv + argc + 1 ? vector_find(env) : NULL;
    if (&environ && environ && environ != env)
        list_restore(environ);
    list_restore(env);
    if (vector)
        vector_copy(env, vector);
    if (w->mark && w->audit && w->preload)
        w->dir = lc_fit_value(w->mark, LC_WATCHED_VARIABLE);
}
