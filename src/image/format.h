/* SPDX-License-Identifier: MIT */
/* format.h - the image on disk, as doc/format.md draws it. Freestanding.
 *
 * All numbers are little-endian. Every structure is a multiple of 8 bytes and has no hidden
 * padding, so that the index can be used straight from a mapping. */
#ifndef LC_IMAGE_FORMAT_H
#define LC_IMAGE_FORMAT_H

#include <stdint.h>

#define LC_IMAGE_MAGIC      "\x89LCAST\r\n" /* 8 bytes; shows text-mode damage like PNG's */
#define LC_IMAGE_ROOT_MAGIC "LCASTTOC"
#define LC_IMAGE_VERSION    2u
#define LC_IMAGE_BYTE_ORDER 0x01020304u
#define LC_IMAGE_PAGE       4096u /* content starts at multiples of this */
#define LC_PATH_MAX         4096u /* of a path with its NUL: the kernel's limit */
#define LC_NONE             0xffffffffu
#define LC_NO_CONTENT       0xffffffffffffffffu

#if defined(__x86_64__)
#define LC_IMAGE_MACHINE 62u /* ELF's e_machine */
#elif defined(__aarch64__)
#define LC_IMAGE_MACHINE 183u
#elif defined(__powerpc64__)
#define LC_IMAGE_MACHINE 21u
#elif defined(__riscv)
#define LC_IMAGE_MACHINE 243u
#else
#error "add this architecture's e_machine"
#endif

enum lc_header_flag {
    LC_HEADER_INDEX_ONLY = 1, /* the content section is not in this file (a node's index) */
};

/* At offset 0. 'root' is not covered by the checksum: a new generation of the index is published by
 * storing 'root' with one 8-byte write; the table it points at has its own checksum. */
struct lc_header {
    uint8_t magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint32_t machine;
    uint32_t page;
    uint32_t flags;
    uint32_t reserved;
    uint64_t checksum; /* XXH64 of the 32 bytes above */
    uint64_t root;     /* offset of struct lc_root */
};

enum lc_section_type {
    LC_SECTION_ENTRIES = 1,
    LC_SECTION_SLOTS = 2,
    LC_SECTION_INODES = 3,
    LC_SECTION_DIRENTS = 4,
    LC_SECTION_ORDER = 5,
    LC_SECTION_NAMES = 6,
    LC_SECTION_MOUNTS = 7,
    LC_SECTION_CONTENT = 8,
    LC_SECTION_PROVENANCE = 9,
    LC_SECTION_SEARCH = 10,
    LC_SECTION_SEARCH_SLOTS = 11,
    LC_SECTION_SEARCH_KEYS = 12,
    LC_SECTION_BASE = 13,
    LC_SECTION_BINDINGS = 14,     /* struct lc_bind_head and what follows it */
    LC_SECTION_LEARNT = 15,       /* uint16_t[entries]: by which job an entry was added */
    LC_SECTION_KNOWN = 16,        /* one more than the last type this version knows */
    LC_SECTION_REQUIRED = 0x8000, /* a reader that does not know such a type refuses the image */
};

struct lc_section {
    uint32_t type;
    uint32_t record;   /* bytes per record; 1 for plain bytes */
    uint64_t offset;   /* from the start of the file */
    uint64_t length;   /* bytes */
    uint64_t count;    /* records: length / record */
    uint64_t checksum; /* XXH64; 0 for the content, whose hashes are in the inodes */
};

/* The table of contents. Its checksum is the image's identity. */
struct lc_root {
    uint8_t magic[8];
    uint64_t self;       /* its own offset */
    uint64_t generation; /* 1, 2, ...: grows with each publication */
    uint64_t end;        /* bytes that belong to the image; what follows is not yet published */
    uint32_t count;      /* of sections, at most LC_SECTIONS_MAX */
    uint32_t reserved;
    uint64_t checksum; /* XXH64 of two XXH64s: of the 40 bytes above, of the sections */
    struct lc_section section[];
};

enum { LC_SECTIONS_MAX = 64 };

/* Values in LC_SECTION_LEARNT: 0: recorded; else the number of a job in the provenance's "learnt".
 */
enum lc_learnt_mark {
    LC_LEARNT_PART = 0x8000, /* the entry was recorded; that job added its content or listing */
    LC_LEARNT_JOB = 0x7fff,
};

enum lc_kind {
    LC_KIND_FILE = 1,
    LC_KIND_DIRECTORY = 2,
    LC_KIND_SYMLINK = 3,
    LC_KIND_ABSENT = 4,
};

enum lc_entry_flag {
    LC_ENTRY_MADE = 1, /* made by us (a compiled .pyc): not in the source's directory listing */
    LC_ENTRY_ROUTE =
        2, /* a directory or link on the way to other entries; its own stat is not recorded */
    LC_ENTRY_FLAGS = 3,
};

/* One absolute path without ".", "..", "//" or a symbolic link in its directory part. */
struct lc_entry {
    uint32_t path;     /* offset in the names */
    uint32_t inode;    /* index of its inode; for an absent path the errno */
    uint16_t path_len; /* without the NUL */
    uint8_t kind;
    uint8_t flags;
    uint32_t parent; /* index of its directory's entry; LC_NONE for "/" */
};

/* A slot of the hash table. It repeats what most look-ups need, so that they touch one cache line.
 */
struct lc_slot {
    uint32_t entry; /* index + 1; 0: free */
    uint32_t tag;   /* upper half of the path's hash; the lower half chooses the slot */
    uint32_t path;  /* this and the fields below: copied from the entry */
    uint16_t path_len;
    uint8_t kind;
    uint8_t flags;
};

/* Extended attributes that programs ask any file for; the last is for directories only. */
#define LC_XATTR_NAMES \
    "security.capability", "security.selinux", "system.posix_acl_access", "system.posix_acl_default"
enum { LC_XATTR_FILE = 3, LC_XATTR_DIRECTORY = 4 };

enum lc_inode_flag {
    LC_INODE_LISTED = 1,   /* directory: its listing is recorded */
    LC_INODE_COMPLETE = 2, /* directory: a name not listed is absent */
    LC_INODE_IN_BASE = 4,  /* file: 'data' is an offset in the base image's content */
    LC_INODE_FRESH = 8,    /* changed shortly before it was read: a later change may not show in its
                              timestamps, so that 'check' must read it again */
    /* Its extended attributes were read: it has none (ENODATA), or its file system does not support
       them (EOPNOTSUPP). Holds for the names in LC_XATTR_NAMES and for listxattr. */
    LC_INODE_NO_XATTR = 16,
    LC_INODE_XATTR_REFUSED = 32,
    LC_INODE_ACL = 64, /* it has an access control list: its mode alone does not decide access */
    LC_INODE_ATTRIBUTES = LC_INODE_NO_XATTR | LC_INODE_XATTR_REFUSED | LC_INODE_ACL,
    LC_INODE_FLAGS = 127,
};

/* What stat tells, and where the content is. Hard links share one. */
struct lc_inode {
    uint64_t ino;
    uint64_t size;
    uint64_t blocks;
    int64_t mtime, ctime, atime, btime;
    uint32_t mtime_ns, ctime_ns, atime_ns, btime_ns;
    uint32_t mode, nlink, uid, gid;
    uint32_t blksize;
    uint32_t mount; /* index in the mounts, or LC_NONE */
    uint64_t data;  /* file: offset in the content section, or LC_NO_CONTENT; symlink: of its target
                       in the names; directory: index of its first directory entry */
    uint32_t count; /* directory: number of directory entries */
    uint32_t flags;
    uint64_t hash[2]; /* file: XXH3-128 of its content, low half first */
};

/* A directory entry, in the order of readdir; "." and ".." left out. */
struct lc_dirent {
    uint64_t ino;
    uint32_t name; /* offset in the names */
    uint16_t name_len;
    uint8_t type; /* DT_REG, ... */
    uint8_t reserved;
};

/* A mount identifies the file system on every node, where st_dev differs. Offsets in the names. */
struct lc_mount {
    uint32_t point;
    uint32_t type;
    uint32_t source;
    uint32_t reserved;
};

/* A recorded library search of ld.so and its result. Offsets in the names. */
struct lc_search {
    uint64_t hash;  /* lc_look_search_hash() of loader and name */
    uint64_t chain; /* hash of the objects whose DT_RPATH is searched (lc_objects_chain); 0: none */
    uint32_t loader; /* path of the object that needs the library */
    uint32_t name;   /* the library's name, without a slash */
    uint32_t result; /* path found; the empty string: not found */
    uint32_t key;    /* index in the search keys */
};

/* The environment in which search results are valid: all fields must be equal. Offsets in the
 * names. */
struct lc_search_key {
    uint64_t hwcap, hwcap2;
    uint64_t cache; /* XXH64 of /etc/ld.so.cache; 0: there is none */
    uint32_t executable;
    uint32_t library_path; /* LD_LIBRARY_PATH; the empty string: not set */
    uint32_t tunables;     /* GLIBC_TUNABLES; the empty string: not set */
    uint32_t platform;     /* AT_PLATFORM */
    uint32_t cpu_level;    /* x86-64-vN: N; 0 where there are no levels */
    uint32_t reserved;
};

/* The base image of an overlay: holds the content of inodes with LC_INODE_IN_BASE. */
struct lc_base {
    uint64_t id;
    uint32_t path; /* absolute; offset in the names */
    uint32_t reserved;
};

/* Why an object's relocations are left to ld.so. */
enum lc_bind_reason {
    LC_BIND_FINE = 0,
    LC_BIND_LIBC,    /* the C library and ld.so are never replayed */
    LC_BIND_LAYOUT,  /* text relocations, -Bsymbolic, no DT_RELA, read-only .dynamic, ... */
    LC_BIND_CHANGED, /* the file was not what had been loaded */
    LC_BIND_LAZY,    /* a later RTLD_GLOBAL object defines what it might have bound to lazily */
    LC_BIND_UNSEEN,  /* it was never relocated in the pilot */
    LC_BIND_REASONS,
};

/* DT_NEEDED names of an object may be hidden from ld.so if it has LC_BIND_SORTED and not
 * LC_BIND_KEEPS_NEEDED. */
enum lc_bind_object_flag {
    LC_BIND_SORTED =
        1, /* ld.so's order of initialisation was computed with and without the names */
    LC_BIND_KEEPS_NEEDED = 2, /* hiding would change that order, or one of the reasons below */
    LC_BIND_CALLS_DLSYM = 4,  /* it calls dlsym and may look for symbols of objects opened later */
    LC_BIND_NEEDED_LATER = 8, /* an object that was opened later needs it */
    LC_BIND_IN_CYCLE =
        16, /* an object loaded together with it needs the library that loaded both */
    LC_BIND_OBJECT_FLAGS = 31,
};

#define LC_BIND_VERSION 2u
#define LC_BIND_SELF    0xfffffffeu /* provider: the object itself */
#define LC_BIND_ZERO    0xfffffffdu /* provider: none; a weak symbol without a definition */

/* At the start of the bindings section. The tables follow, each aligned to 8 bytes: objects,
 * groups, plans, members, slots, words, names. */
struct lc_bind_head {
    uint32_t version;
    uint32_t objects, groups, plans, members;
    uint32_t slots; /* a power of two, more than twice the objects */
    uint64_t words;
    uint32_t names; /* bytes; the last is NUL */
    /* lc_bindings_system() of the recording: they hold on no other. Older versions know 0 only. */
    uint32_t system;
};

/* An object, identified by its content and not by its name. */
struct lc_bind_object {
    uint64_t content[2]; /* XXH3-128 of its file */
    uint64_t dynamic;    /* hash of its .dynamic in memory, independent of its load address */
    uint64_t build;      /* XXH64 of its build-id; 0: none */
    uint64_t identity;   /* XXH64 of the 32 bytes above */
    uint64_t alias;      /* XXH64 of the name by which other objects need it, if that is not its
                            DT_SONAME: ld.so knows it by that name only if it was opened by it. 0: no
                            such name; all ones: more than one */
    uint32_t name;     /* offset in the names: its path when it was recorded, the names it went by,
                          and an empty string at the end */
    uint16_t reason;   /* enum lc_bind_reason */
    uint16_t flags;    /* enum lc_bind_object_flag */
    uint32_t extent;   /* bytes of memory from its base to the end of its last segment */
    uint32_t rows;     /* rows of its relocation tables */
    uint32_t relative; /* this many rows at the start are RELATIVE */
    uint32_t name_set; /* equal for objects that share a name, which ld.so might confuse; 0: no
                          other object has one of its names */
    uint64_t seal;     /* XXH64 of all of the above */
};

enum lc_bind_group_flag {
    LC_BIND_GROUP_START = 1, /* the program's start; else a dlopen */
};

/* The objects loaded by one program start or one dlopen; sorted by root, then scope, then flags. */
struct lc_bind_group {
    uint64_t scope; /* hash of the global scope it was loaded into; 0 for a start */
    uint32_t root;  /* object */
    uint32_t first; /* index of its first member: all objects in ld.so's breadth-first order; for a
                       start in the order in which they were opened */
    uint32_t count;
    uint32_t flags;
    uint64_t seal; /* lc_bindings_group_seal() */
};

struct lc_bind_member {
    uint32_t object;
    uint32_t plan; /* LC_NONE: its relocations are left to ld.so */
};

enum lc_bind_plan_flag {
    LC_BIND_KEEPS_PLT = 1, /* the rows of DT_JMPREL are not in the plan: ld.so binds them when it
                              always does */
};

/* What a replay writes into one object's slots. Its words, from 'first' on: runs (provider, count),
 * bindings (slot, target: offsets from the load addresses), leftovers (rows that ld.so relocates),
 * ifuncs (slot, provider, resolver). */
struct lc_bind_plan {
    uint64_t first;
    uint32_t object;
    uint32_t runs, bindings, leftovers, ifuncs;
    uint32_t flags; /* enum lc_bind_plan_flag */
    uint64_t seal;  /* lc_bindings_plan_seal() */
};

_Static_assert(sizeof(struct lc_header) == 48, "format");
_Static_assert(sizeof(struct lc_section) == 40, "format");
_Static_assert(sizeof(struct lc_root) == 48, "format");
_Static_assert(sizeof(struct lc_entry) == 16, "format");
_Static_assert(sizeof(struct lc_slot) == 16, "format");
_Static_assert(sizeof(struct lc_inode) == 128, "format");
_Static_assert(sizeof(struct lc_dirent) == 16, "format");
_Static_assert(sizeof(struct lc_mount) == 16, "format");
_Static_assert(sizeof(struct lc_search) == 32, "format");
_Static_assert(sizeof(struct lc_search_key) == 48, "format");
_Static_assert(sizeof(struct lc_base) == 16, "format");
_Static_assert(sizeof(struct lc_bind_head) == 40, "format");
_Static_assert(sizeof(struct lc_bind_object) == 80, "format");
_Static_assert(sizeof(struct lc_bind_group) == 32, "format");
_Static_assert(sizeof(struct lc_bind_member) == 8, "format");
_Static_assert(sizeof(struct lc_bind_plan) == 40, "format");

#endif
