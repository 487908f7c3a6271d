/* SPDX-License-Identifier: MIT */
/* verify_test.c - damaged images are refused with a reason: flipped bits, truncation, and wrong
 * fields with valid checksums */
#include "util/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/fixture.h"
#include "image/hash.h"
#include "image/image.h"

static unsigned char *good, *bytes;
static size_t size;

static int set_up(void **state)
{
    char file[] = "/tmp/loadcast-verify.XXXXXX";
    struct stat st;
    int fd = mkstemp(file);

    (void)state;
    close(fd);
    lc_fixture_write(file);
    fd = open(file, O_RDONLY);
    assert_int_equal(fstat(fd, &st), 0);
    size = (size_t)st.st_size;
    good = malloc(size);
    bytes = malloc(size);
    assert_int_equal(read(fd, good, size), (ssize_t)size);
    close(fd);
    unlink(file);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(good);
    free(bytes);
    return 0;
}

/* NULL, or the reason why 'bytes' are refused. */
static const char *refusal(size_t len)
{
    static struct lc_error err;
    struct lc_look look;
    const char *bad = lc_look_open(&look, bytes, len);

    if (bad)
        return bad;
    return lc_image_verify(&look, &err) < 0 ? err.text : NULL;
}

static void is_good_to_begin_with(void **state)
{
    (void)state;
    memcpy(bytes, good, size);
    assert_null(refusal(size));
}

static void every_truncation(void **state)
{
    (void)state;
    memcpy(bytes, good, size);
    for (size_t len = 0; len < size; len++) {
        unsigned char *exact = malloc(len ? len : 1); /* so that a sanitizer sees every overrun */
        struct lc_look look;
        memcpy(exact, good, len);
        assert_non_null(lc_look_open(&look, exact, len));
        free(exact);
    }
}

/* Is this byte covered by a checksum? Gaps between sections are not, nor is the content
 * (lc_image_verify_content checks that). */
static int is_covered(size_t at)
{
    struct lc_look look;

    if (at < sizeof(struct lc_header))
        return 1;
    assert_null(lc_look_open(&look, good, size));
    size_t root = (size_t)look.root->self;
    if (at >= root)
        return 1;
    for (uint32_t i = 0; i < look.root->count; i++) {
        const struct lc_section *s = &look.root->section[i];
        if (s->type != LC_SECTION_CONTENT && at >= s->offset && at < s->offset + s->length)
            return 1;
    }
    return 0;
}

static void every_flipped_bit_of_header_and_index(void **state)
{
    size_t covered = 0;

    (void)state;
    memcpy(bytes, good, size);
    for (size_t at = 0; at < size; at++) {
        if (!is_covered(at))
            continue;
        covered++;
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (unsigned char)(1 << bit);
            if (!refusal(size))
                fail_msg("bit %d of byte %zu flipped, and not refused", bit, at);
            bytes[at] ^= (unsigned char)(1 << bit);
        }
    }
    assert_true(covered > 3000);
}

static struct lc_section *section_find(uint32_t type)
{
    struct lc_look look;

    assert_null(lc_look_open(&look, good, size));
    size_t at = (size_t)((const unsigned char *)lc_look_section(&look, type) - good);
    return (struct lc_section *)(bytes + at);
}

/* Recompute all checksums, as an attacker would. */
static void checksums_update(void)
{
    struct lc_header *h = (void *)bytes;
    struct lc_root *root = (void *)(bytes + h->root);

    for (uint32_t i = 0; i < root->count; i++) {
        struct lc_section *s = &root->section[i];
        if (s->type != LC_SECTION_CONTENT && s->offset <= size && s->length <= size - s->offset)
            s->checksum = lc_hash(bytes + s->offset, s->length);
    }
    root->checksum = lc_root_checksum(root);
    h->checksum = lc_hash(h, offsetof(struct lc_header, checksum));
}

static void *record_at(uint32_t type, size_t i)
{
    struct lc_section *s = section_find(type);

    return bytes + s->offset + i * s->record;
}

static struct lc_slot *slot_of(uint32_t entry)
{
    struct lc_slot *slot = record_at(LC_SECTION_SLOTS, 0);

    while (slot->entry != entry + 1)
        slot++;
    return slot;
}

#define REFUSES(change, reason)                                                   \
    do {                                                                          \
        memcpy(bytes, good, size);                                                \
        change;                                                                   \
        checksums_update();                                                       \
        const char *why = refusal(size);                                          \
        assert_non_null(why);                                                     \
        if (!strstr(why, reason))                                                 \
            fail_msg("%s: refused as '%s', expected '%s'", #change, why, reason); \
    } while (0)

static void a_header_from_elsewhere(void **state)
{
    struct lc_header *h = (void *)bytes;

    (void)state;
    REFUSES(h->version = 3, "newer version");
    REFUSES(h->version = 1, "no longer read");
    REFUSES(h->machine = 183 + 62 - LC_IMAGE_MACHINE, "another processor architecture");
    REFUSES(h->byte_order = 0x04030201, "byte order");
    REFUSES(h->magic[7] = '\r', "not a Loadcast image");
    REFUSES(h->page = 512, "makes no sense");
    REFUSES(h->flags = 4, "makes no sense");
}

static void sections_that_lie(void **state)
{
    (void)state;
    REFUSES(section_find(LC_SECTION_NAMES)->offset = size, "outside");
    REFUSES(section_find(LC_SECTION_NAMES)->offset = 0, "outside");
    REFUSES(section_find(LC_SECTION_NAMES)->offset += 1, "not aligned");
    REFUSES(section_find(LC_SECTION_ENTRIES)->length = ~0ull, "size makes no sense");
    REFUSES(section_find(LC_SECTION_ENTRIES)->count += 1, "size makes no sense");
    REFUSES(section_find(LC_SECTION_ENTRIES)->record = 0, "size makes no sense");
    REFUSES(section_find(LC_SECTION_CONTENT)->length = ~0ull, "");
    REFUSES(section_find(LC_SECTION_SLOTS)->type = LC_SECTION_REQUIRED + 1, "does not know");
    REFUSES(section_find(LC_SECTION_MOUNTS)->type = LC_SECTION_NAMES, "");
    REFUSES(
        (section_find(LC_SECTION_SLOTS)->length = 16, section_find(LC_SECTION_SLOTS)->count = 1),
        "hash table");
}

static void records_that_lie(void **state)
{
    struct lc_entry *e = record_at(LC_SECTION_ENTRIES, 1); /* "/app" */
    struct lc_inode *file = NULL, *dir = NULL, *link = NULL;
    struct lc_slot *slot = slot_of(1), *free_slot = record_at(LC_SECTION_SLOTS, 0);

    (void)state;
    memcpy(bytes, good, size);
    for (size_t i = 0; i < section_find(LC_SECTION_INODES)->count; i++) {
        struct lc_inode *inode = record_at(LC_SECTION_INODES, i);
        file = S_ISREG(inode->mode) && inode->size == 9000 ? inode : file;
        dir = S_ISDIR(inode->mode) && inode->count == 9 ? inode : dir;
        link = S_ISLNK(inode->mode) ? inode : link;
    }
    while (free_slot->entry)
        free_slot++;
    REFUSES(e->path = LC_NONE, "slot");
    REFUSES(e->path_len = 65535, "slot");
    REFUSES(e->inode = LC_NONE, "do not agree");
    REFUSES(e->kind = LC_KIND_FILE, "slot");
    REFUSES((e->kind = 9, slot_of(1)->kind = 9), "no known kind");
    REFUSES((e->kind = LC_KIND_FILE, slot_of(1)->kind = LC_KIND_FILE), "do not agree");
    REFUSES(e->parent = 2, "in a directory");
    REFUSES(slot->entry = LC_NONE, "slot");
    REFUSES(slot->entry = 0, "slot");
    REFUSES(slot->path += 1, "slot");
    REFUSES(slot->path_len += 1, "slot");
    REFUSES(slot->kind ^= 1, "slot");
    REFUSES(slot->flags ^= 1, "slot");
    REFUSES(slot->tag ^= 1, "hash");
    REFUSES(free_slot->tag = 1, "slot");
    REFUSES(e->path += 1, "slot");
    REFUSES(file->data = LC_NO_CONTENT - 4096 + 1, "content");
    REFUSES(file->data += 1, "content");
    REFUSES(file->size = LC_NO_CONTENT, "content");
    REFUSES(file->flags = LC_INODE_IN_BASE, "content");
    REFUSES(file->mtime_ns = 1000000000, "time");
    REFUSES(file->mount = 1, "mount");
    REFUSES(file->flags = LC_INODE_FLAGS + 1, "flags");
    REFUSES(dir->data = ~0ull, "outside");
    REFUSES(dir->count = LC_NONE, "outside");
    REFUSES(dir->flags = LC_INODE_COMPLETE, "no listing");
    REFUSES(link->data = LC_NONE, "target");
    REFUSES(link->size = 0, "target");
    REFUSES(((struct lc_dirent *)record_at(LC_SECTION_DIRENTS, 0))->name = LC_NONE, "name");
    REFUSES(*(uint32_t *)record_at(LC_SECTION_ORDER, 0) = 77, "order");
    REFUSES(*(uint32_t *)record_at(LC_SECTION_ORDER, 0) = 1, "order");
    REFUSES(((struct lc_mount *)record_at(LC_SECTION_MOUNTS, 0))->type = LC_NONE, "mount");
    REFUSES(((struct lc_search *)record_at(LC_SECTION_SEARCH, 0))->key = 1, "search");
    REFUSES(((struct lc_search *)record_at(LC_SECTION_SEARCH, 0))->result = LC_NONE, "search");
    REFUSES(((struct lc_search *)record_at(LC_SECTION_SEARCH, 0))->hash ^= 1, "search");
    REFUSES(((struct lc_search_key *)record_at(LC_SECTION_SEARCH_KEYS, 0))->platform = LC_NONE,
            "key");
    REFUSES(((struct lc_search_key *)record_at(LC_SECTION_SEARCH_KEYS, 0))->tunables = LC_NONE,
            "key");
    REFUSES(((struct lc_search_key *)record_at(LC_SECTION_SEARCH_KEYS, 0))->reserved = 1, "key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_good_to_begin_with),
        cmocka_unit_test(every_truncation),
        cmocka_unit_test(every_flipped_bit_of_header_and_index),
        cmocka_unit_test(a_header_from_elsewhere),
        cmocka_unit_test(sections_that_lie),
        cmocka_unit_test(records_that_lie),
    };
    return cmocka_run_group_tests_name("image/verify", tests, set_up, tear_down);
}
