/* SPDX-License-Identifier: MIT */
/* dlerror.c - what went wrong with a library is told of the path the program gave
 *
 * ld.so names the file it opened, before an auditor can give it another name, or the path that our
 * auditor gave it for one that is absent (client/audit/absent.h). The text is the C library's own
 * copy for this thread, and only becomes shorter. */
#include "client/preload/dlerror.h"

#include <stddef.h>
#include <stdint.h>

#include "client/preload/path_query.h"
#include "client/preload/complete_needed.h"
#include "client/preload/next.h"
#include "image/bytes.h"
#include "node/dlopen_notes.h"

static char *no_dlerror(void)
{
    return NULL;
}

static size_t common_length(const char *text, const char *start)
{
    size_t i = 0;

    while (start[i] && text[i] == start[i])
        i++;
    return start[i] ? 0 : i;
}

static void mend_message(const struct lc_node *node, char *text)
{
    const struct lc_dlopen_notes *notes = &loadcast_dlopen_notes;
    size_t whole = notes->answer ? common_length(text, notes->answer) : 0;
    size_t asked = notes->asked ? lc_bytes_length(notes->asked) : 0;
    const char *original = lc_node_original(node, text);
    const char *absent = lc_node_nowhere_name(node, text);

    if (absent) {
        lc_bytes_move(text, absent, lc_bytes_length(absent) + 1);
    } else if (whole > 0 && text[whole] == ':' && asked > 0 && asked <= whole) {
        lc_bytes_move(text, notes->asked, asked);
        lc_bytes_move(text + asked, text + whole, lc_bytes_length(text + whole) + 1);
    } else if (original && original[1]) {
        lc_bytes_move(text, original, lc_bytes_length(original) + 1);
    }
}

/* What 'dlerror' says, with the program's names. */
static char *tell(char *(*dlerror)(void))
{
    char *text = dlerror();
    /* The auditor's: it answers also where the preload does not. */
    const struct lc_node *node = loadcast_dlopen_notes.node;

    if (text && node)
        mend_message(node, text);
    return text;
}

char *lc_dlerror_of_libc(void)
{
    static void *known;
    void *theirs = __atomic_load_n(&known, __ATOMIC_RELAXED);

    if (!theirs) {
        theirs = lc_definition_of_libc("dlerror");
        __atomic_store_n(&known, theirs, __ATOMIC_RELAXED);
    }
    return tell(theirs ? (char *(*)(void))theirs : no_dlerror);
}

EXPORT(char *, dlerror, void)
{
    static void *known;

    return tell(lc_next_to_jump("dlerror", &known, (void *)no_dlerror));
}
