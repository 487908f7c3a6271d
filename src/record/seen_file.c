/* SPDX-License-Identifier: MIT */
/* seen_file.c - save and load a part file: the paths that one rank saw
 *
 * Text, fields separated by tabs, strings escaped as in a trace log:
 *   # loadcast part 2
 *   start NANOSECONDS
 *   tls BYTES                                            (see lc_seen_add_tls; may be missing)
 *   programs COUNT                                       (that were executed; may be missing)
 *   path USES(hex) PATH CALLS
 *   key HWCAP HWCAP2 CACHE LEVEL EXECUTABLE LIBRARY_PATH TUNABLES PLATFORM  (numbered from 0)
 *   search KEY CHAIN(hex) LOADER NAME RESULT
 *   end
 * A file without the line "end" is incomplete and is refused. */
#include "record/seen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/bindings.h"
#include "util/buf.h"
#include "util/temporary.h"

static const char part_header[] = "# loadcast part 2\n";

static void field_write(FILE *out, const char *text)
{
    struct lc_buf b = {0};

    lc_buf_escape(&b, text, strlen(text));
    fprintf(out, "\t%s", lc_buf_text(&b));
    lc_buf_free(&b);
}

static void write_searches(FILE *out, const struct lc_tree *t)
{
    for (size_t i = 0; i < t->keys; i++) {
        fprintf(out, "key\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIu32, t->key[i].hwcap,
                t->key[i].hwcap2, t->key[i].cache, t->key[i].cpu_level);
        field_write(out, t->key[i].executable);
        field_write(out, t->key[i].library_path);
        field_write(out, t->key[i].tunables);
        field_write(out, t->key[i].platform);
        fputc('\n', out);
    }
    for (size_t i = 0; i < t->searches; i++) {
        const struct lc_tree_search *s = &t->search[i];
        if (!s->result)
            continue;
        fprintf(out, "search\t%" PRIu32 "\t%" PRIx64, s->key, s->chain);
        field_write(out, s->loader);
        field_write(out, s->name);
        field_write(out, s->result);
        fputc('\n', out);
    }
}

static int part_write(const struct lc_seen *seen, FILE *out)
{
    fprintf(out, "%sstart\t%" PRIu64 "\n", part_header, seen->start_ns);
    if (seen->tls_bytes)
        fprintf(out, "tls\t%" PRIu32 "\n", seen->tls_bytes);
    fprintf(out, "programs\t%" PRIu64 "\n", seen->programs);
    for (size_t i = 0; i < seen->paths.count; i++) {
        const struct lc_seen_path *p = seen->paths.entry[i].value;
        fprintf(out, "path\t%x", p ? p->uses : 0);
        field_write(out, seen->paths.entry[i].key);
        fprintf(out, "\t%" PRIu64 "\n", p ? p->calls : 0);
    }
    write_searches(out, &seen->search);
    fputs("end\n", out);
    return fflush(out) || ferror(out) ? -1 : 0;
}

static int bindings_write(const struct lc_seen *seen, FILE *out)
{
    size_t n = fwrite(seen->bindings.data, 1, seen->bindings.len, out);

    return n == seen->bindings.len ? 0 : -1;
}

/* Writes one file of a part atomically, readable by its owner only. */
static int save_file(const struct lc_seen *seen, const char *file,
                     int (*write)(const struct lc_seen *seen, FILE *out))
{
    struct lc_temporary t;

    if (lc_temporary_open(&t, file) < 0)
        return -1;
    FILE *out = lc_temporary_stream(&t);
    int rc = out ? write(seen, out) : -1;
    if (out && fclose(out) != 0)
        rc = -1;
    if (rc == 0)
        return lc_temporary_publish(&t, file, 0600);
    lc_temporary_discard(&t);
    return -1;
}

/* Opens a file that belongs to this user; other users must not choose what is recorded. */
static FILE *file_open_own(const char *file)
{
    int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    FILE *in = NULL;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0) {
        errno = EPERM;
        if (S_ISREG(st.st_mode) && st.st_uid == geteuid())
            in = fdopen(fd, "r");
    }
    int saved = errno;
    if (!in)
        close(fd);
    errno = saved;
    return in;
}

static int load_bindings(struct lc_seen *seen, const char *file)
{
    char path[LC_PATH_MAX + 32], room[65536];
    struct lc_buf more = {0};

    snprintf(path, sizeof(path), "%s%s", file, LC_SEEN_BINDINGS);
    FILE *in = file_open_own(path);
    if (!in)
        return 0;
    for (size_t n; (n = fread(room, 1, sizeof(room), in)) > 0;)
        lc_buf_add(&more, room, n);
    fclose(in);
    int rc = more.failed ? -1 : lc_record_bindings_unite(&seen->bindings, &more);
    lc_buf_free(&more);
    return rc;
}

/* The bindings section is a file of its own beside the part. The part is written last: when it is
 * there, its bindings are, too. */
int lc_seen_save(const struct lc_seen *seen, const char *file, struct lc_error *err)
{
    char bindings[LC_PATH_MAX + 32];

    snprintf(bindings, sizeof(bindings), "%s%s", file, LC_SEEN_BINDINGS);
    if ((seen->bindings.len && save_file(seen, bindings, bindings_write) < 0) ||
        save_file(seen, file, part_write) < 0)
        return lc_error_errno(err, "cannot write part '%s'", file);
    return 0;
}

enum { MOST_FIELDS = 10 };

/* Splits a line at tabs and unescapes the fields into *text. The number of fields; 0 if malformed.
 */
static size_t line_split(char *line, struct lc_buf *text, const char *field[MOST_FIELDS])
{
    size_t at[MOST_FIELDS], n = 0;
    char *rest = line;

    line[strcspn(line, "\n")] = '\0';
    lc_buf_clear(text);
    for (char *word; n < MOST_FIELDS && (word = strsep(&rest, "\t"));) {
        at[n++] = text->len;
        if (lc_buf_unescape(text, word, strlen(word)) < 0)
            return 0;
        lc_buf_putc(text, '\0');
    }
    for (size_t i = 0; i < n; i++)
        field[i] = text->data + at[i];
    return n;
}

/* State of loading a file. Keys are numbered per file; key[] maps them to the numbers in 'seen'. */
struct loading {
    struct lc_seen *seen;
    uint32_t *key;
    size_t keys;
    bool has_end;
};

static int load_key(struct loading *l, const char *field[])
{
    uint32_t *more = realloc(l->key, (l->keys + 1) * sizeof(*more));
    struct lc_tree_key key = {strtoull(field[1], NULL, 16),
                              strtoull(field[2], NULL, 16),
                              strtoull(field[3], NULL, 16),
                              (uint32_t)strtoul(field[4], NULL, 10),
                              (char *)field[5],
                              (char *)field[6],
                              (char *)field[7],
                              (char *)field[8]};

    if (!more)
        return -1;
    l->key = more;
    l->key[l->keys] = lc_tree_key(&l->seen->search, &key);
    return l->key[l->keys++] == LC_NONE ? -1 : 0;
}

static int load_path(struct loading *l, const char *field[], size_t n)
{
    if (lc_seen_add(l->seen, field[2], (unsigned)strtoul(field[1], NULL, 16)) < 0)
        return -1;
    struct lc_seen_path *path = n == 4 ? lc_map_get(&l->seen->paths, field[2]) : NULL;
    if (path)
        path->calls += strtoull(field[3], NULL, 10);
    return 0;
}

static int load_line(struct loading *l, const char *field[], size_t n)
{
    const char *what = field[0];

    if (strcmp(what, "start") == 0 && n == 2) {
        uint64_t start = strtoull(field[1], NULL, 10);
        if (!l->seen->start_ns || (start && start < l->seen->start_ns))
            l->seen->start_ns = start;
    } else if (strcmp(what, "tls") == 0 && n == 2) {
        lc_seen_add_tls(l->seen, strtoull(field[1], NULL, 10));
    } else if (strcmp(what, "programs") == 0 && n == 2) {
        l->seen->programs += strtoull(field[1], NULL, 10);
    } else if (strcmp(what, "path") == 0 && (n == 3 || n == 4)) {
        return load_path(l, field, n);
    } else if (strcmp(what, "key") == 0 && n == 9) {
        return load_key(l, field);
    } else if (strcmp(what, "search") == 0 && n == 6) {
        size_t key = strtoul(field[1], NULL, 10);
        if (key < l->keys)
            return lc_tree_search(&l->seen->search, l->key[key], strtoull(field[2], NULL, 16),
                                  field[3], field[4], field[5]);
    } else if (strcmp(what, "end") == 0 && n == 1) {
        l->has_end = true;
    }
    return 0;
}

static int load_lines(struct loading *l, FILE *in)
{
    char *line = NULL;
    size_t room = 0;
    struct lc_buf text = {0};
    int rc = getline(&line, &room, in) > 0 && strcmp(line, part_header) == 0 ? 0 : -1;

    errno = rc < 0 ? EBADMSG : 0;
    while (rc == 0 && getline(&line, &room, in) > 0) {
        const char *field[MOST_FIELDS];
        size_t n = line_split(line, &text, field);
        rc = n ? load_line(l, field, n) : 0;
    }
    free(line);
    lc_buf_free(&text);
    if (rc == 0 && !l->has_end) {
        errno = EBADMSG;
        rc = -1;
    }
    return rc;
}

int lc_seen_load(struct lc_seen *seen, const char *file, struct lc_error *err)
{
    struct loading l = {.seen = seen};
    FILE *in = file_open_own(file);

    if (!in)
        return lc_error_errno(err, "cannot read part '%s'", file);
    int rc = load_lines(&l, in);
    if (rc == 0)
        rc = load_bindings(seen, file);
    if (rc < 0 && errno == EBADMSG)
        lc_error_set(err, "part '%s' is not whole", file);
    else if (rc < 0)
        lc_error_errno(err, "cannot read part '%s'", file);
    fclose(in);
    free(l.key);
    return rc;
}
