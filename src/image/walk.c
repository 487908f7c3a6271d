/* SPDX-License-Identifier: MIT */
/* walk.c - follow a path through an image as the kernel would. Freestanding; see look.h */
#include "image/look.h"

#include "image/bytes.h"

enum {
    NOT_THERE = 2,        /* ENOENT */
    NOT_A_DIRECTORY = 20, /* ENOTDIR */
    TOO_MANY_LINKS = 40,  /* ELOOP; also how many links the kernel follows */
};

/* The state of a walk. The rest of the path is at the end of walk->rest, so that a link's target
 * can be put before it without moving it. */
struct steps {
    const struct lc_look *look;
    struct lc_walk *walk;
    size_t at; /* start of the rest in walk->rest */
    int links;
    int known; /* links followed that are recorded for themselves; 0 if the number is not known */
    int flags;
};

static const struct lc_found unknown = {LC_ANSWER_UNKNOWN, LC_NONE, 0};

static size_t component_length(const struct steps *s)
{
    size_t n = 0;

    while (s->at + n < sizeof(s->walk->rest) && s->walk->rest[s->at + n] != '/')
        n++;
    return n;
}

static bool is_last(const struct steps *s, size_t n)
{
    for (size_t i = s->at + n; i < sizeof(s->walk->rest); i++)
        if (s->walk->rest[i] != '/')
            return false;
    return true;
}

static bool has_slash_after(const struct steps *s, size_t n)
{
    return s->at + n < sizeof(s->walk->rest);
}

static void path_up(struct lc_walk *walk)
{
    while (walk->len > 1 && walk->path[walk->len - 1] != '/')
        walk->len--;
    if (walk->len > 1)
        walk->len--;
}

/* Append a component to the path walked so far; false if it does not fit. */
static bool path_down(struct lc_walk *walk, const char *name, size_t n)
{
    size_t slash = walk->len > 1;

    if (walk->len + slash + n + 1 > sizeof(walk->path))
        return false;
    if (slash)
        walk->path[walk->len++] = '/';
    lc_bytes_move(walk->path + walk->len, name, n);
    walk->len += n;
    return true;
}

/* Put a link's target before the rest of the path; the walk continues in the link's directory, or
 * at "/". */
static bool link_follow(struct steps *s, const struct lc_inode *link)
{
    const char *target = link->data < s->look->names_len ? s->look->names + link->data : "";
    size_t n = lc_bytes_length(target);

    if (n == 0 || n + 1 > s->at)
        return false;
    if (s->at < sizeof(s->walk->rest) && s->walk->rest[s->at] != '/')
        s->walk->rest[--s->at] = '/';
    s->at -= n;
    lc_bytes_move(s->walk->rest + s->at, target, n);
    if (target[0] == '/')
        s->walk->len = 1;
    else
        path_up(s->walk);
    return true;
}

/* Does the file exist in the image only? One that replaces a file of the source has that file's
 * ctime. */
static bool is_only_in_image(const struct lc_look *look, uint32_t entry)
{
    const struct lc_inode *inode = lc_look_inode(look, entry);

    return inode && inode->ctime == 0 && inode->ctime_ns == 0;
}

/* The answer for the last component. An entry that is only a step on the way is unknown; a file
 * that exists in the image only is absent unless LC_WALK_MADE is set. */
static struct lc_found last_answer(const struct lc_look *look, struct lc_found found, int flags)
{
    uint8_t is = found.answer == LC_ANSWER_FOUND ? look->entry[found.entry].flags : 0;

    if (is & LC_ENTRY_ROUTE)
        return unknown;
    if ((is & LC_ENTRY_MADE) && !(flags & LC_WALK_MADE) && is_only_in_image(look, found.entry))
        return (struct lc_found){LC_ANSWER_ABSENT, LC_NONE, NOT_THERE};
    return found;
}

/* Walk one component that is a name. True if the walk is over, with the answer in *found. */
static bool component_step(struct steps *s, size_t n, struct lc_found *found)
{
    struct lc_walk *walk = s->walk;
    bool last = is_last(s, n), slash = has_slash_after(s, n);

    if (!path_down(walk, walk->rest + s->at, n))
        return s->known = 0, *found = unknown, true;
    s->at += n;
    *found = lc_look_clean(s->look, walk->path, walk->len);
    if (found->answer != LC_ANSWER_FOUND)
        return true;
    uint8_t kind = s->look->entry[found->entry].kind;
    const struct lc_inode *inode = lc_look_inode(s->look, found->entry);
    if (!inode)
        return s->known = 0, *found = unknown, true;
    if (kind == LC_KIND_SYMLINK) {
        if (last && !slash && (s->flags & LC_WALK_NOFOLLOW))
            return *found = last_answer(s->look, *found, s->flags), true;
        if (++s->links > TOO_MANY_LINKS)
            return *found = (struct lc_found){LC_ANSWER_ABSENT, LC_NONE, TOO_MANY_LINKS}, true;
        s->known += !(s->look->entry[found->entry].flags & LC_ENTRY_ROUTE);
        return link_follow(s, inode) ? false : (s->known = 0, *found = unknown, true);
    }
    if (kind == LC_KIND_FILE && slash)
        return *found = (struct lc_found){LC_ANSWER_ABSENT, LC_NONE, NOT_A_DIRECTORY}, true;
    if (last)
        *found = last_answer(s->look, *found, s->flags);
    return last;
}

static struct lc_found walk_steps(struct steps *s)
{
    struct lc_found found = unknown;

    for (;;) {
        while (s->at < sizeof(s->walk->rest) && s->walk->rest[s->at] == '/')
            s->at++;
        size_t n = component_length(s);
        const char *name = s->walk->rest + s->at;
        if (n == 0)
            return last_answer(s->look, lc_look_clean(s->look, s->walk->path, s->walk->len),
                               s->flags);
        if (n == 1 && name[0] == '.') {
            s->at += n;
        } else if (n == 2 && name[0] == '.' && name[1] == '.') {
            path_up(s->walk);
            s->at += n;
        } else if (component_step(s, n, &found)) {
            return found;
        }
    }
}

/* A word in which the top bit of each byte is set where the text has a slash (bytes behind the
 * first slash may be set wrongly). */
static uint64_t slashes(const char *p)
{
    uint64_t word = lc_hash_read64((const unsigned char *)p) ^ 0x2f2f2f2f2f2f2f2fu;

    return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

/* Does a name follow the slash at 'i', and not a slash, a dot or the end? */
static bool is_clean_at(const char *path, size_t len, size_t i)
{
    return path[i] != '/' || (i + 1 < len && path[i + 1] != '/' && path[i + 1] != '.');
}

/* Is the path certainly without "//", "/.", "/.." and a slash at its end? False also for names that
 * begin with a dot, which are then walked. */
static bool is_clean(const char *path, size_t len)
{
    size_t i = 0;

    for (; i + 8 <= len; i += 8)
        for (uint64_t found = slashes(path + i); found; found &= found - 1)
            if (!is_clean_at(path, len, i + (size_t)__builtin_ctzll(found) / 8))
                return false;
    for (; i < len; i++)
        if (!is_clean_at(path, len, i))
            return false;
    return true;
}

/* Walk component by component. Not inlined, so that the fast path does not need its large stack
 * frame. */
__attribute__((noinline)) static struct lc_found walk_from_root(const struct lc_look *look,
                                                                const char *path, size_t len,
                                                                int flags, struct lc_walk *walk)
{
    struct steps s = {look, walk, sizeof(walk->rest) - len, 0, 0, flags};

    walk->path[0] = '/';
    walk->len = 1;
    lc_bytes_move(walk->rest + s.at, path, len);
    struct lc_found found = walk_steps(&s);
    walk->at = s.at;
    walk->links = s.known;
    return found;
}

/* Answer for a path that has no entry. */
__attribute__((noinline)) static struct lc_found walk_missing(const struct lc_look *look,
                                                              const char *path, size_t len,
                                                              int flags, struct lc_walk *walk)
{
    bool is_final = false;
    struct lc_found found = unknown;

    if (is_clean(path, len))
        found = lc_look_missing(look, path, len, &is_final);
    return is_final ? found : walk_from_root(look, path, len, flags, walk);
}

struct lc_found lc_look_walk(const struct lc_look *look, const char *path, size_t len, int flags,
                             struct lc_walk *walk)
{
    if (len == 0 || path[0] != '/' || len >= sizeof(walk->path))
        return unknown;
    /* Only clean paths are entries: a path that is found directly needs no walk. */
    const struct lc_slot *slot = lc_look_slot(look, path, len);
    if (!slot)
        return walk_missing(look, path, len, flags, walk);
    uint32_t entry = slot->entry - 1;
    if (slot->kind == LC_KIND_ABSENT)
        return (struct lc_found){LC_ANSWER_ABSENT, LC_NONE, (int)look->entry[entry].inode};
    if (slot->kind == LC_KIND_SYMLINK && !(flags & LC_WALK_NOFOLLOW))
        return walk_from_root(look, path, len, flags, walk);
    struct lc_found found = {LC_ANSWER_FOUND, entry, 0};
    return slot->flags ? last_answer(look, found, flags) : found;
}
