/* SPDX-License-Identifier: MIT */
/* exec_path.c - the name by which a staged program was started. Freestanding; see started.h */
#include "node/exec_path.h"

#include "image/bytes.h"

#define MARK "/.//" /* nobody writes that, and it leads nowhere else */

static size_t root_length(const struct lc_node *node)
{
    return node->files_len - (sizeof(LC_NODE_FILES) - 1);
}

static bool append(char *out, size_t size, size_t *at, const char *text, size_t len)
{
    if (*at + len + 1 > size)
        return false;
    lc_bytes_move(out + *at, text, len);
    *at += len;
    out[*at] = '\0';
    return true;
}

/* How much of 'full' stands before a relative path, which may have lost a "./"; 0: it is another.
 */
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

bool lc_started_path(const struct lc_node *node, const char *path, const char *full, char *out,
                     size_t size)
{
    size_t at = 0, n = lc_bytes_length(full), base = path[0] == '/' ? n : base_length(full, path);

    return base > 0 && append(out, size, &at, node->files, node->files_len) &&
           append(out, size, &at, full, base) &&
           (base == n || (append(out, size, &at, MARK "./", sizeof(MARK "./") - 1) &&
                          append(out, size, &at, path, lc_bytes_length(path))));
}

void lc_started_script(const struct lc_node *node, char *file, size_t size, size_t at)
{
    size_t root = root_length(node), n = lc_bytes_length(file), more = sizeof(MARK) - 2 + 2 * at;

    if (n + more + 1 > size)
        return;
    lc_bytes_move(file + root + more, file + root, n - root + 1);
    lc_bytes_move(file + root, MARK, sizeof(MARK) - 1);
    for (size_t i = 0; i < at; i++)
        lc_bytes_move(file + root + sizeof(MARK) - 1 + 2 * i, "./", 2);
}

static bool starts(const char *text, const char *start, size_t len)
{
    size_t i = 0;

    while (i < len && text[i] == start[i])
        i++;
    return i == len;
}

static const char *script_of(const char *rest, char *const argv[])
{
    size_t at = 0, i = 0;

    for (; rest[0] == '.' && rest[1] == '/'; rest += 2)
        at++;
    if (!starts(rest, &LC_NODE_FILES[1], sizeof(LC_NODE_FILES) - 2))
        return NULL;
    while (i < at && argv[i])
        i++;
    return argv[i];
}

const char *lc_started_as(const struct lc_node *node, const char *file, char *const argv[],
                          bool *is_script)
{
    size_t root = root_length(node), mark = sizeof(MARK) - 1;

    *is_script = starts(file, node->files, root) && starts(file + root, MARK, mark);
    if (*is_script)
        return script_of(file + root + mark, argv);
    const char *original = lc_node_original(node, file);
    for (const char *p = original; p && *p; p++)
        if (starts(p, MARK "./", mark + 2))
            return p + mark + 2;
    return original;
}
