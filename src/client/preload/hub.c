/* SPDX-License-Identifier: MIT */
/* hub.c - make and open an object that needs what a model needs; see client/bindings/hub.h.
 *
 * It exists in memory alone. Its path is spelled as nobody else would, because ld.so knows objects
 * by their paths and another's descriptor may get the same number. */
#include "client/preload/hub.h"

#include <dlfcn.h>
#include <elf.h>
#include <linux/mman.h>
#include <stdbool.h>
#include <stddef.h>

#include "client/preload/next.h"
#include "image/bytes.h"
#include "node/arch.h"
#include "node/syscall.h"

enum { SEGMENTS = 3, OTHER_TAGS = 8, NAME_ROOM = 24 };

struct hub_file {
    ElfW(Ehdr) head;
    ElfW(Phdr) segment[SEGMENTS];
    uint32_t hash[4]; /* DT_HASH of no symbol */
    ElfW(Sym) none;
    ElfW(Dyn) dynamic[];
};

/* What a hub needs: perhaps one object more, then what its model needs. */
struct needs {
    const char *first; /* a path, or NULL */
    const char *strings;
    size_t names, bytes;
};

static struct needs read_needs(const struct link_map *model, const char *first)
{
    struct needs n = {.first = first, .names = first != NULL};

    n.bytes = first ? lc_bytes_length(first) + 1 : 0;
    for (const ElfW(Dyn) *d = model->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            n.strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = model->l_ld; n.strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED) {
            n.names++;
            n.bytes += lc_bytes_length(n.strings + d->d_un.d_val) + 1;
        }
    return n;
}

static size_t put_text(char *strings, size_t at, const char *text)
{
    size_t len = lc_bytes_length(text) + 1;

    lc_bytes_move(strings + at, text, len);
    return at + len;
}

/* Names and .dynamic; the number of bytes of all strings. */
static size_t put_dynamic(struct hub_file *f, const struct link_map *model, const struct needs *n,
                          const char *name)
{
    size_t strings = sizeof(*f) + (n->names + OTHER_TAGS) * sizeof(f->dynamic[0]), at = 1;
    char *text = (char *)f + strings;
    ElfW(Dyn) *out = f->dynamic;

    if (n->first) {
        *out++ = (ElfW(Dyn)){DT_NEEDED, {at}};
        at = put_text(text, at, n->first);
    }
    for (const ElfW(Dyn) *d = model->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED) {
            *out++ = (ElfW(Dyn)){DT_NEEDED, {at}};
            at = put_text(text, at, n->strings + d->d_un.d_val);
        }
    *out++ = (ElfW(Dyn)){DT_SONAME, {at}};
    at = put_text(text, at, name);
    *out++ = (ElfW(Dyn)){DT_HASH, {offsetof(struct hub_file, hash)}};
    *out++ = (ElfW(Dyn)){DT_STRTAB, {strings}};
    *out++ = (ElfW(Dyn)){DT_SYMTAB, {offsetof(struct hub_file, none)}};
    *out++ = (ElfW(Dyn)){DT_STRSZ, {at}};
    *out++ = (ElfW(Dyn)){DT_SYMENT, {sizeof(ElfW(Sym))}};
    return strings + at;
}

static void put_head(struct hub_file *f, size_t len, size_t names)
{
    static const unsigned char ident[EI_NIDENT] = {0x7f,       'E',         'L',       'F',
                                                   ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    const size_t dynamic = offsetof(struct hub_file, dynamic);
    const size_t dynamic_len = (names + OTHER_TAGS) * sizeof(f->dynamic[0]);

    f->head = (ElfW(Ehdr)){.e_type = ET_DYN,
                           .e_machine = EM_X86_64,
                           .e_version = EV_CURRENT,
                           .e_phoff = offsetof(struct hub_file, segment),
                           .e_ehsize = sizeof(f->head),
                           .e_phentsize = sizeof(f->segment[0]),
                           .e_phnum = SEGMENTS};
    lc_bytes_move((char *)f->head.e_ident, (const char *)ident, EI_NIDENT);
    f->segment[0] = (ElfW(Phdr)){.p_type = PT_LOAD,
                                 .p_flags = PF_R | PF_W,
                                 .p_filesz = len,
                                 .p_memsz = len,
                                 .p_align = 4096};
    f->segment[1] = (ElfW(Phdr)){.p_type = PT_DYNAMIC,
                                 .p_flags = PF_R | PF_W,
                                 .p_offset = dynamic,
                                 .p_vaddr = dynamic,
                                 .p_paddr = dynamic,
                                 .p_filesz = dynamic_len,
                                 .p_memsz = dynamic_len,
                                 .p_align = 8};
    f->segment[2] = (ElfW(Phdr)){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
    f->hash[0] = f->hash[1] = 1;
}

/* A descriptor of the file; negative if there is none. */
static int make_file(const struct link_map *model, const char *name, const char *first)
{
    struct needs n = read_needs(model, first);
    size_t room = sizeof(struct hub_file) + (n.names + OTHER_TAGS) * sizeof(ElfW(Dyn)) + n.bytes +
                  NAME_ROOM + 1;
    struct hub_file *f = lc_sys_mmap(room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    if (!n.names || lc_sys_is_error(f))
        return -1;
    size_t len = put_dynamic(f, model, &n, name);
    put_head(f, len, n.names);
    int fd = (int)LC_SYS3(__NR_memfd_create, "loadcast-hub", 1 /* MFD_CLOEXEC */, 0);
    if (fd >= 0 && lc_sys_write(fd, f, len) != (long)len) {
        lc_sys_close(fd);
        fd = -1;
    }
    lc_sys_munmap(f, room);
    return fd;
}

static size_t put_number(char *to, size_t at, unsigned number)
{
    char digits[12];
    size_t n = 0;

    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n > 0)
        to[at++] = digits[--n];
    to[at] = '\0';
    return at;
}

/* Make the file and open it; NULL if either fails. */
static void *open_file(const struct link_map *model, const char *name, const char *first, int flags)
{
    char path[sizeof(LC_HUB_PREFIX) + 16] = LC_HUB_PREFIX;
    int fd = make_file(model, name, first);

    if (fd < 0)
        return NULL;
    put_number(path, sizeof(LC_HUB_PREFIX) - 1, (unsigned)fd);
    void *handle = NEXT(void *, dlopen, (const char *, int))(path, RTLD_LAZY | flags);
    lc_sys_close(fd);
    return handle;
}

/* Another thread may close the model at any time: it is held while it is read. */
static void *open_like(const char *path, const struct link_map *model, const char *name)
{
    void *held = NEXT(void *, dlopen, (const char *, int))(path, RTLD_LAZY | RTLD_NOLOAD);
    void *handle = held == model ? open_file(model, name, NULL, RTLD_LOCAL) : NULL;

    if (held)
        NEXT(int, dlclose, (void *))(held);
    return handle;
}

static void open_hub(struct lc_hub *h, unsigned number)
{
    char name[sizeof(h->name)] = LC_HUB_NAME;

    if (__atomic_exchange_n(&h->is_busy, 1, __ATOMIC_SEQ_CST))
        return;
    const struct link_map *model = __atomic_exchange_n(&h->model, NULL, __ATOMIC_SEQ_CST);
    if (model) {
        put_number(name, sizeof(LC_HUB_NAME) - 1, number);
        lc_bytes_move(h->name, name, sizeof(name));
        void *handle = open_like(h->path, model, name);
        h->has_failed = !handle;
        h->handle = handle;
    }
    __atomic_store_n(&h->is_busy, 0, __ATOMIC_SEQ_CST);
}

/* The caller's frame tells: it is gone, or something else was called from there. In doubt it has
 * not. */
bool lc_hub_has_returned(uintptr_t was, uintptr_t caller, uintptr_t slot)
{
    unsigned char resident;

    if (slot >= was)
        return true;
    if (LC_SYS3(__NR_mincore, was & ~(uintptr_t)4095, 4096, &resident) != 0)
        return true;
    return *(const uintptr_t *)was != caller;
}

/* Has the dlopen that brought the model returned? Until then not all it needs is initialised. In
 * another thread it has, once ld.so's lock is ours. */
static bool has_returned(const struct lc_hub *h, uintptr_t slot)
{
    return h->thread != lc_arch_thread() || lc_hub_has_returned(h->slot, h->caller, slot);
}

void lc_hub_open_wanted(struct lc_notes *notes, uintptr_t slot)
{
    for (uint32_t i = 0; i < notes->hubs; i++) {
        struct lc_hub *h = &notes->hub[i];
        if (__atomic_load_n(&h->model, __ATOMIC_ACQUIRE) && !h->map && has_returned(h, slot))
            open_hub(h, i);
    }
}

void lc_hub_let_go(struct lc_notes *notes)
{
    for (uint32_t i = 0; i < notes->hubs; i++) {
        void *handle = __atomic_exchange_n(&notes->hub[i].handle, NULL, __ATOMIC_ACQ_REL);
        if (handle)
            NEXT(int, dlclose, (void *))(handle);
    }
}

/* A module that leans on a hub becomes global: so must all it needs, after it. An object that needs
 * first the module and then what that needs has them in this order, and is there for a moment. */
void lc_hub_make_global(struct lc_notes *notes, const char *file)
{
    int (*close)(void *) = NEXT(int, dlclose, (void *));

    if (!notes->leaner)
        return;
    void *handle = NEXT(void *, dlopen, (const char *, int))(file, RTLD_LAZY | RTLD_NOLOAD);
    const struct lc_leaner *l = handle ? lc_leaner_find(notes->leaner, handle) : NULL;
    void *both = l ? open_file(l->map, LC_HUB_NAME "all", l->map->l_name, RTLD_GLOBAL) : NULL;
    if (both)
        close(both);
    if (handle)
        close(handle);
}
