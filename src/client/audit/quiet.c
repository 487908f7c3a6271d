/* SPDX-License-Identifier: MIT */
/* quiet.c - keep ld.so from asking whether a directory it searches is there. Freestanding. */
#include "client/audit/quiet.h"

#include <stddef.h>
#include <stdint.h>

#include "image/bytes.h"

/* ld.so's open_path() has the text on the stack, a few calls above ours. */
enum { NEAR = 32768 };

static bool is_allowed;
static struct {
    char *text; /* NULL: none is changed */
    char letter[2];
} changed;

void lc_quiet_begin(const char *audit, const char *own, bool is_debugged)
{
    size_t n = lc_bytes_length(own);
    bool is_first = lc_bytes_length(audit) >= n && lc_bytes_equal(audit, own, n);

    is_allowed = is_first && !is_debugged;
}

/* "" and "/" are no places: a text that reads so has not been written anew since. */
void lc_quiet_restore(const char *text)
{
    char *last = changed.text;

    changed.text = NULL;
    if (!last || text != last || (text[0] && (text[0] != '/' || text[1])))
        return;
    last[0] = changed.letter[0];
    last[1] = changed.letter[1];
}

/* Whatever another auditor may have put in its place is not ours to write on. */
static bool is_on_stack(const char *text)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), there = (uintptr_t)text;

    return there > here && there - here < NEAR;
}

/* "" is nowhere, and "/" is a directory. */
void lc_quiet_answer(const char *place, bool exists)
{
    char *text = (char *)(uintptr_t)place;

    if (!is_allowed || !is_on_stack(place) || place[0] != '/' || !place[1] || place[1] == '/')
        return;
    changed.text = text;
    changed.letter[0] = text[0];
    changed.letter[1] = text[1];
    text[exists ? 1 : 0] = '\0';
}
