/* SPDX-License-Identifier: MIT */
/* exec_path.c - encode the original name of a staged program in the path it is executed by.
 * Freestanding; see exec_path.h */
#include "node/exec_path.h"

#include "image/bytes.h"

#define MARK "/.//" /* not written by users, and does not change where the path leads */

static size_t root_length(const struct lc_node *node)
{
    return node->files_len - (sizeof(LC_NODE_FILES) - 1);
}

static bool text_append(char *out, size_t size, size_t *at, const char *text, size_t len)
{
    if (*at + len + 1 > size)
        return false;
    lc_bytes_move(out + *at, text, len);
    *at += len;
    out[*at] = '\0';
    return true;
}

/* Length of the part of 'full' before the relative path 'path', from which leading "./" may have
 * been removed; 0: 'full' does not end with it. */
static size_t base_length(const char *full, const char *path)
{
    size_t n = lc_bytes_length(full), given = lc_bytes_length(path);

    while (given > 2 && path[0] == '.' && path[1] == '/' &&
           !(given < n && full[n - given - 1] == '/' && lc_bytes_same(full + n - given, path))) {
        path += 2;
        given -= 2;
    }
    return given < n && full[n - given - 1] == '/' && lc_bytes_same(full + n - given, path)
               ? n - given - 1
               : 0;
}

bool lc_exec_path_make(const struct lc_node *node, const char *path, const char *full, char *out,
                       size_t size)
{
    size_t at = 0, n = lc_bytes_length(full), base = path[0] == '/' ? n : base_length(full, path);

    return base > 0 && text_append(out, size, &at, node->files, node->files_len) &&
           text_append(out, size, &at, full, base) &&
           (base == n || (text_append(out, size, &at, MARK "./", sizeof(MARK "./") - 1) &&
                          text_append(out, size, &at, path, lc_bytes_length(path))));
}

void lc_exec_path_mark_script(const struct lc_node *node, char *file, size_t size, size_t at)
{
    size_t root = root_length(node), n = lc_bytes_length(file), more = sizeof(MARK) - 2 + 2 * at;

    if (n + more + 1 > size)
        return;
    lc_bytes_move(file + root + more, file + root, n - root + 1);
    lc_bytes_move(file + root, MARK, sizeof(MARK) - 1);
    for (size_t i = 0; i < at; i++)
        lc_bytes_move(file + root + sizeof(MARK) - 1 + 2 * i, "./", 2);
}

static bool text_starts_with(const char *text, const char *start, size_t len)
{
    size_t i = 0;

    while (i < len && text[i] == start[i])
        i++;
    return i == len;
}

static const char *script_argument(const char *rest, char *const argv[])
{
    size_t at = 0, i = 0;

    for (; rest[0] == '.' && rest[1] == '/'; rest += 2)
        at++;
    if (!text_starts_with(rest, &LC_NODE_FILES[1], sizeof(LC_NODE_FILES) - 2))
        return NULL;
    while (i < at && argv[i])
        i++;
    return argv[i];
}

const char *lc_exec_path_original(const struct lc_node *node, const char *file, char *const argv[],
                                  bool *is_script)
{
    size_t root = root_length(node), mark = sizeof(MARK) - 1;

    *is_script =
        text_starts_with(file, node->files, root) && text_starts_with(file + root, MARK, mark);
    if (*is_script)
        return script_argument(file + root + mark, argv);
    const char *original = lc_node_original(node, file);
    for (const char *p = original; p && *p; p++)
        if (text_starts_with(p, MARK "./", mark + 2))
            return p + mark + 2;
    return original;
}
