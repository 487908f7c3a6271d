/* SPDX-License-Identifier: MIT */
/* look_open.c - check the header of a mapped image and find its sections. Freestanding; see look.h
 */
#include "image/look.h"

#include "image/bytes.h"
#include "image/hash.h"

enum { HEADER_CHECKED = 32 /* bytes of the header below its checksum */ };

static const char *check_header(const struct lc_header *h, uint64_t size)
{
    if (size < sizeof(*h))
        return "too short for an image";
    if (!lc_bytes_equal((const char *)h->magic, LC_IMAGE_MAGIC, sizeof(h->magic)))
        return "not a Loadcast image";
    if (h->byte_order != LC_IMAGE_BYTE_ORDER)
        return "written in another byte order";
    if (h->version > LC_IMAGE_VERSION)
        return "written by a newer version of Loadcast; use that version, or record again";
    if (h->version < LC_IMAGE_VERSION)
        return "of a format that is no longer read; record again";
    if (h->checksum != lc_hash(h, HEADER_CHECKED))
        return "damaged: the header's checksum is wrong";
    if (h->machine != LC_IMAGE_MACHINE)
        return "recorded on another processor architecture; record again on this one";
    if (h->page != LC_IMAGE_PAGE || h->reserved || (h->flags & ~(uint32_t)LC_HEADER_INDEX_ONLY))
        return "damaged: the header makes no sense";
    return NULL;
}

uint64_t lc_root_checksum(const struct lc_root *root)
{
    uint64_t part[2] = {
        lc_hash(root, offsetof(struct lc_root, checksum)),
        lc_hash(root->section, root->count * sizeof(root->section[0])),
    };
    return lc_hash(part, sizeof(part));
}

static const char *check_root(const struct lc_root *root, uint64_t at, uint64_t size)
{
    if (!lc_bytes_equal((const char *)root->magic, LC_IMAGE_ROOT_MAGIC, sizeof(root->magic)) ||
        root->self != at || root->count > LC_SECTIONS_MAX || root->reserved)
        return "damaged: no table of contents where the header says";
    uint64_t room = (size - at - sizeof(*root)) / sizeof(root->section[0]);
    if (root->count > room)
        return "cut short";
    if (root->checksum != lc_root_checksum(root))
        return "damaged: the table of contents' checksum is wrong";
    if (root->end > size)
        return "cut short";
    if (root->end < at + sizeof(*root) + root->count * sizeof(root->section[0]))
        return "damaged: the table of contents lies beyond the image's end";
    return NULL;
}

/* Bytes per record of each known section type. */
static uint32_t record_size(uint32_t type)
{
    switch (type) {
    case LC_SECTION_ENTRIES:
        return sizeof(struct lc_entry);
    case LC_SECTION_INODES:
        return sizeof(struct lc_inode);
    case LC_SECTION_DIRENTS:
        return sizeof(struct lc_dirent);
    case LC_SECTION_MOUNTS:
        return sizeof(struct lc_mount);
    case LC_SECTION_SEARCH:
        return sizeof(struct lc_search);
    case LC_SECTION_SEARCH_KEYS:
        return sizeof(struct lc_search_key);
    case LC_SECTION_BASE:
        return sizeof(struct lc_base);
    case LC_SECTION_SLOTS:
        return sizeof(struct lc_slot);
    case LC_SECTION_LEARNT:
        return sizeof(uint16_t);
    case LC_SECTION_SEARCH_SLOTS:
    case LC_SECTION_ORDER:
        return sizeof(uint32_t);
    default:
        return 1;
    }
}

static const char *check_section(const struct lc_look *look, const struct lc_section *s)
{
    const struct lc_header *h = (const void *)look->base;

    if (s->type >= LC_SECTION_KNOWN)
        return (s->type & LC_SECTION_REQUIRED)
                   ? "uses a part this version of Loadcast does not know"
                   : NULL;
    if (s->record != record_size(s->type) || s->length / s->record != s->count ||
        s->length % s->record || s->count >= LC_NONE)
        if (s->type != LC_SECTION_CONTENT || s->record != 1 || s->length != s->count)
            return "damaged: a section's size makes no sense";
    if (s->type == LC_SECTION_CONTENT && (h->flags & LC_HEADER_INDEX_ONLY))
        return NULL;
    if (s->offset < sizeof(*h) || s->offset > look->root->end ||
        s->length > look->root->end - s->offset)
        return "damaged: a section lies outside the file";
    if (s->offset % (s->type == LC_SECTION_CONTENT ? LC_IMAGE_PAGE : 8))
        return "damaged: a section is not aligned";
    return NULL;
}

const struct lc_section *lc_look_section(const struct lc_look *look, uint32_t type)
{
    for (uint32_t i = 0; i < look->root->count; i++)
        if (look->root->section[i].type == type)
            return &look->root->section[i];
    return NULL;
}

static const void *find_records(const struct lc_look *look, uint32_t type, uint32_t *count)
{
    const struct lc_section *s = lc_look_section(look, type);

    *count = s ? (uint32_t)s->count : 0;
    return s ? look->base + s->offset : NULL;
}

static void find_sections(struct lc_look *look)
{
    uint32_t orders, bases;

    look->entry = find_records(look, LC_SECTION_ENTRIES, &look->entries);
    look->slot = find_records(look, LC_SECTION_SLOTS, &look->slots);
    look->inode = find_records(look, LC_SECTION_INODES, &look->inodes);
    look->dirent = find_records(look, LC_SECTION_DIRENTS, &look->dirents);
    look->order = find_records(look, LC_SECTION_ORDER, &orders);
    look->names = find_records(look, LC_SECTION_NAMES, &look->names_len);
    look->mount = find_records(look, LC_SECTION_MOUNTS, &look->mounts);
    look->search = find_records(look, LC_SECTION_SEARCH, &look->searches);
    look->search_slot = find_records(look, LC_SECTION_SEARCH_SLOTS, &look->search_slots);
    look->search_key = find_records(look, LC_SECTION_SEARCH_KEYS, &look->search_keys);
    look->overlay_base = find_records(look, LC_SECTION_BASE, &bases);
    if (bases != 1)
        look->overlay_base = NULL;
    if (orders < look->dirents)
        look->dirents = orders;
    const struct lc_section *content = lc_look_section(look, LC_SECTION_CONTENT);
    look->content = content ? content->offset : 0;
    look->content_len = content ? content->length : 0;
}

static bool is_power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static const char *check_tables(const struct lc_look *look)
{
    if (!look->names_len || look->names[look->names_len - 1] != '\0')
        return "damaged: the names do not end";
    if (!is_power_of_two(look->slots) || look->slots <= look->entries)
        return "damaged: the hash table's size makes no sense";
    if (look->searches > 0 &&
        (!is_power_of_two(look->search_slots) || look->search_slots <= look->searches))
        return "damaged: the search table's size makes no sense";
    return NULL;
}

const char *lc_look_open(struct lc_look *look, const void *base, uint64_t size)
{
    const struct lc_header *h = base;
    const char *bad = check_header(h, size);

    if (bad)
        return bad;
    uint64_t at = __atomic_load_n(&h->root, __ATOMIC_ACQUIRE);
    if (at % 8 || at < sizeof(*h))
        return "damaged: no table of contents where the header says";
    if (at > size || size - at < sizeof(struct lc_root))
        return "cut short";
    look->base = base;
    look->size = size;
    look->root = (const void *)(look->base + at);
    if ((bad = check_root(look->root, at, size)))
        return bad;
    for (uint32_t i = 0; i < look->root->count; i++)
        if ((bad = check_section(look, &look->root->section[i])))
            return bad;
    find_sections(look);
    return check_tables(look);
}

uint64_t lc_look_id(const struct lc_look *look)
{
    return look->root->checksum;
}
