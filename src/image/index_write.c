/* SPDX-License-Identifier: MIT */
/* index_write.c - write index sections, table of contents and header to a file */
#include "image/index.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/hash.h"
#include "image/image.h"
#include "util/io.h"

/* Position of the next bytes in the file, and the table of contents so far. */
struct output {
    int fd;
    uint64_t at;
    union {
        struct lc_root root;
        char room[sizeof(struct lc_root) + LC_SECTIONS_MAX * sizeof(struct lc_section)];
    } u;
};

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

static int put_section(struct output *out, uint32_t type, uint32_t record, const void *bytes,
                       size_t len)
{
    out->at =
        round_up(out->at, 64); /* a cache line: a record of 128 bytes then spans only two of them */
    out->u.root.section[out->u.root.count++] =
        (struct lc_section){type, record, out->at, len, len / record, lc_hash(bytes, len)};
    if (lc_write_at(out->fd, bytes, len, (off_t)out->at) < 0)
        return -1;
    out->at += len;
    return 0;
}

static void put_content(struct output *out, uint64_t len)
{
    out->u.root.section[out->u.root.count++] =
        (struct lc_section){LC_SECTION_CONTENT, 1, LC_IMAGE_PAGE, len, len, 0};
}

/* Write the table of contents, then the header that points at it. The header comes last, so that
 * the file is not an image before it is complete. */
static int put_root(struct output *out, uint32_t flags, uint64_t generation)
{
    struct lc_root *root = &out->u.root;
    size_t len = sizeof(*root) + root->count * sizeof(root->section[0]);
    struct lc_header h = {.version = LC_IMAGE_VERSION,
                          .byte_order = LC_IMAGE_BYTE_ORDER,
                          .machine = LC_IMAGE_MACHINE,
                          .page = LC_IMAGE_PAGE,
                          .flags = flags};

    out->at = round_up(out->at, 64);
    memcpy(root->magic, LC_IMAGE_ROOT_MAGIC, sizeof(root->magic));
    root->self = out->at;
    root->generation = generation;
    root->end = out->at + len;
    root->checksum = lc_root_checksum(root);
    if (lc_write_at(out->fd, root, len, (off_t)out->at) < 0)
        return -1;
    memcpy(h.magic, LC_IMAGE_MAGIC, sizeof(h.magic));
    h.checksum = lc_hash(&h, offsetof(struct lc_header, checksum));
    h.root = out->at;
    out->at += len;
    return lc_write_at(out->fd, &h, sizeof(h), 0);
}

static int put_tables(struct output *out, const struct lc_index *x)
{
    const struct {
        uint32_t type, record;
        const struct lc_buf *bytes;
    } part[] = {
        {LC_SECTION_SLOTS, sizeof(struct lc_slot), &x->slots},
        {LC_SECTION_ENTRIES, sizeof(struct lc_entry), &x->entries},
        {LC_SECTION_INODES, sizeof(struct lc_inode), &x->inodes},
        {LC_SECTION_NAMES, 1, &x->names},
        {LC_SECTION_DIRENTS, sizeof(struct lc_dirent), &x->dirents},
        {LC_SECTION_ORDER, sizeof(uint32_t), &x->order},
        {LC_SECTION_MOUNTS, sizeof(struct lc_mount), &x->mounts},
        {LC_SECTION_SEARCH_SLOTS, sizeof(uint32_t), &x->search_slots},
        {LC_SECTION_SEARCH, sizeof(struct lc_search), &x->search},
        {LC_SECTION_SEARCH_KEYS, sizeof(struct lc_search_key), &x->search_keys},
    };

    for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
        if (put_section(out, part[i].type, part[i].record, lc_buf_text(part[i].bytes),
                        part[i].bytes->len) < 0)
            return -1;
    if (x->bindings && x->bindings->len &&
        put_section(out, LC_SECTION_BINDINGS, 1, x->bindings->data, x->bindings->len) < 0)
        return -1;
    if (x->has_learnt &&
        put_section(out, LC_SECTION_LEARNT, sizeof(uint16_t), x->learnt.data, x->learnt.len) < 0)
        return -1;
    return x->base.len ? put_section(out, LC_SECTION_BASE, sizeof(struct lc_base), x->base.data,
                                     x->base.len)
                       : 0;
}

/* The file may be longer: a content that turned out to be there already is overwritten. */
static int end_at(int fd, uint64_t end)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -1;
    return (uint64_t)st.st_size == end ? 0 : ftruncate(fd, (off_t)end);
}

int lc_index_write(const struct lc_index *index, int fd, uint64_t content_len, uint32_t flags,
                   const char *provenance, uint64_t *end, uint64_t *id)
{
    struct output out = {.fd = fd, .at = LC_IMAGE_PAGE + content_len};

    put_content(&out, content_len);
    if (put_tables(&out, index) < 0)
        return -1;
    if (provenance &&
        put_section(&out, LC_SECTION_PROVENANCE, 1, provenance, strlen(provenance)) < 0)
        return -1;
    if (put_root(&out, flags, 1) < 0)
        return -1;
    *end = out.at;
    *id = out.u.root.checksum;
    return end_at(fd, out.at);
}

int lc_index_write_alone(const struct lc_index *index, int fd, const struct lc_section *content,
                         const char *provenance, size_t len)
{
    struct output out = {.fd = fd, .at = sizeof(struct lc_header)};

    if (content)
        out.u.root.section[out.u.root.count++] = *content;
    if (put_tables(&out, index) < 0)
        return -1;
    if (provenance && put_section(&out, LC_SECTION_PROVENANCE, 1, provenance, len) < 0)
        return -1;
    return put_root(&out, LC_HEADER_INDEX_ONLY, 1);
}

int lc_image_save_index(const struct lc_look *look, int fd, uint64_t *id)
{
    struct output out = {.fd = fd, .at = sizeof(struct lc_header)};

    for (uint32_t i = 0; i < look->root->count; i++) {
        const struct lc_section *s = &look->root->section[i];
        if (s->type == LC_SECTION_CONTENT)
            out.u.root.section[out.u.root.count++] = *s;
        else if (s->type < LC_SECTION_KNOWN &&   /* sections of unknown types were not checked */
                 s->type != LC_SECTION_LEARNT && /* nodes do not need it */
                 put_section(&out, s->type, s->record, look->base + s->offset, s->length) < 0)
            return -1;
    }
    int rc = put_root(&out, LC_HEADER_INDEX_ONLY, look->root->generation);
    *id = out.u.root.checksum;
    return rc;
}
