/* SPDX-License-Identifier: MIT */
/* capture.c - the auditor that records, in the pilot, what ld.so writes into every relocation slot.
 *
 * Freestanding, and in the user's process: see audit/record.c for the rules. ld.so gets each
 * object's relocations in a table of our own, whose last row calls us: at that moment the slots
 * hold what ld.so wrote and no constructor has run. 'record' decides later which of the values are
 * bindings that can be replayed.
 *
 * In a pilot lazy relocations are in the table, too. In a watched program (node/watched.h), where
 * nothing may change, they are only if ld.so binds the object at once anyway. */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>

#include "client/bindings/capture_log.h"
#include "client/bindings/dlopen_calls.h"
#include "client/bindings/relocation_table.h"
#include "client/rtld_audit.h"
#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/bindings_log.h"
#include "node/call_log.h"
#include "node/glibc_versions.h"
#include "node/search_key.h"
#include "node/syscall.h"
#include "node/watch_filter.h"
#include "node/watched.h"

enum { OBJECTS_MAX = LC_ARCH_THUNKS };

/* An object of this process; its index is also the number of its thunk. */
struct captured_object {
    struct lc_elf_object elf;
    struct lc_saved_tags saved_tags;
    ElfW(Rela) * rows; /* the relocation table that ld.so sees; NULL: its own */
    size_t rows_len;   /* bytes mapped */
    bool has_plt;      /* its lazy relocations are in the table, too */
    bool is_relocated;
};

struct capture {
    struct captured_object *object;
    uint32_t objects;
    struct lc_capture_log log;
    struct lc_key key;
    struct lc_program_headers program;
    struct lc_dlopen_calls calls;
    char
        asked_name[4096]; /* what ld.so searched for last; empty: an object has been loaded since */
    struct lc_watch_filter filter;
    bool is_started;    /* the program's start is over */
    bool is_idle;       /* nothing is recorded */
    bool is_watching;   /* this is no pilot */
    bool is_eager_call; /* the dlopen under way binds everything at once */
};

/* ld.so calls the functions below without a context. */
static struct capture capture;

/* Is nothing to be recorded, or may a system call of ours end the program? */
static bool is_silent(void)
{
    return capture.is_idle || lc_watch_filter_is_set(&capture.filter);
}

/* ld.so has relocated an object. */
void lc_thunk_hook(uint32_t thunk)
{
    struct captured_object *o = &capture.object[thunk];

    lc_relocation_table_restore(&o->saved_tags);
    o->is_relocated = true;
    if (!is_silent())
        lc_capture_log_values(&capture.log, thunk + 1, &o->elf,
                              o->elf.table_count + (o->has_plt ? o->elf.plt_count : 0));
}

/* Unmap the tables that ld.so does not read any more. */
static void tables_free(struct capture *c)
{
    for (uint32_t i = c->objects; i > 0; i--) {
        struct captured_object *o = &c->object[i - 1];
        if (o->rows && o->is_relocated) {
            lc_sys_munmap(o->rows, o->rows_len);
            o->rows = NULL;
        }
    }
}

/* Is the object itself marked to be bound at once (-z now)? */
static bool object_is_eager(const struct link_map *map)
{
    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_BIND_NOW || (d->d_tag == DT_FLAGS && (d->d_un.d_val & DF_BIND_NOW)) ||
            (d->d_tag == DT_FLAGS_1 && (d->d_un.d_val & DF_1_NOW)))
            return true;
    return false;
}

/* The rows of the object and the one that calls us. */
static void table_give(struct captured_object *o, uint32_t thunk)
{
    const struct lc_elf_object *elf = &o->elf;
    size_t rows = (size_t)elf->table_count + (o->has_plt ? elf->plt_count : 0) + 1;

    if (elf->unsupported || rows == 1 || !(o->rows = lc_capture_map(rows * sizeof(*o->rows))))
        return;
    o->rows_len = rows * sizeof(*o->rows);
    for (uint32_t i = 0; i < rows - 1; i++)
        o->rows[i] = *lc_elf_object_row(elf, i);
    lc_relocation_table_end(&o->rows[rows - 1], elf, thunk);
    lc_relocation_table_install(elf, o->rows, rows, elf->relative, !o->has_plt, &o->saved_tags);
}

static bool capture_begin(struct capture *c)
{
    char *dir = c->log.dir;
    char watched[8];
    struct lc_variable v[] = {{LC_BIND_LOG_VARIABLE, dir, sizeof(c->log.dir), 0},
                              {LC_WATCHED_VARIABLE, watched, sizeof(watched), 0}};

    if (!lc_key_read(&c->key, v, 2) || v[0].found != 1 || !dir[0])
        return false;
    c->is_watching = v[1].found != 0;
    c->program.header = (const void *)(uintptr_t)c->key.headers;
    c->program.count = c->key.header_count;
    c->object = lc_capture_map(OBJECTS_MAX * sizeof(*c->object));
    return c->object && lc_capture_log_begin(&c->log);
}

unsigned la_version(unsigned version)
{
    capture.is_idle = !capture_begin(&capture);
    return version; /* never 0: see audit/dtv.h */
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    struct capture *c = &capture;

    (void)cookie;
    if (flag == LA_SER_ORIG && !is_silent()) {
        size_t n = lc_bytes_length(name);
        c->asked_name[0] = '\0';
        if (n < sizeof(c->asked_name))
            lc_bytes_move(c->asked_name, name, n + 1);
        lc_dlopen_calls_searched(&c->calls, name, lc_hash(name, n), c->is_started);
    }
    return (char *)(uintptr_t)name;
}

static void opened_log(struct capture *c, const struct captured_object *o,
                       const struct link_map *map)
{
    struct lc_bind_opened opened = {c->objects, o->rows != NULL, o->elf.base, o->elf.dynamic,
                                    o->elf.build};

    lc_capture_log_add(&c->log, LC_BIND_OBJECT, &opened, sizeof(opened),
                       c->objects == 1 ? c->key.executable : map->l_name, c->asked_name);
    c->asked_name[0] = '\0';
}

/* The first object of a dlopen is loaded. */
static void call_log(struct capture *c)
{
    struct lc_dlopen_call call = lc_dlopen_calls_begin(&c->calls);
    c->is_eager_call = call.is_known && (call.flags & RTLD_NOW) && !(call.flags & RTLD_LAZY);
    struct lc_bind_call logged = {call.is_known, call.flags, call.globals, call.globals_hash};

    lc_capture_log_add(&c->log, LC_BIND_GROUP, &logged, sizeof(logged), NULL, NULL);
}

static void object_add(struct capture *c, const struct link_map *map)
{
    struct captured_object *o = &c->object[c->objects];
    bool is_readable = lc_elf_object_read(&o->elf, map, c->objects == 0 ? &c->program : NULL);

    c->objects++;
    o->has_plt = !c->is_watching || c->is_eager_call || object_is_eager(map);
    if (is_readable && !lc_is_c_library(map))
        table_give(o, c->objects - 1);
    opened_log(c, o, map);
}

/* The kernel's object has no file; the one that notes calls is in no later run, and what is bound
 * to it is left to ld.so then. */
static bool is_passed_over(const struct link_map *map)
{
    return lc_bytes_same(map->l_name, "linux-vdso.so.1") ||
           lc_glibc_is_called(map, LC_PILOT_OBJECT);
}

unsigned la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
    struct capture *c = &capture;

    *cookie = 0;
    if (is_silent())
        return 0;
    lc_watch_filter_see(&c->filter, map);
    if (lmid != LM_ID_BASE || c->log.is_full || is_passed_over(map))
        return 0;
    if (c->objects == OBJECTS_MAX) {
        c->log.is_full = true;
        return 0;
    }
    if (!c->is_started)
        lc_dlopen_calls_find_notes(&c->calls, map);
    else if (c->calls.is_new)
        call_log(c);
    lc_dlopen_calls_loaded(&c->calls, map);
    object_add(c, map);
    *cookie = c->objects;
    return 0;
}

unsigned la_objclose(uintptr_t *cookie)
{
    uint32_t number = (uint32_t)*cookie;

    if (!is_silent() && number > 0 && number <= capture.objects)
        lc_capture_log_add(&capture.log, LC_BIND_CLOSED, &number, sizeof(number), NULL, NULL);
    return 0;
}

void la_activity(uintptr_t *cookie, unsigned flag)
{
    struct capture *c = &capture;

    (void)cookie;
    if (is_silent())
        return;
    if (flag == LA_ACT_ADD && c->is_started) {
        tables_free(c);
        lc_dlopen_calls_add(&c->calls);
    } else if (c->is_started) {
        lc_dlopen_calls_end(&c->calls);
    }
    if (flag == LA_ACT_CONSISTENT) { /* the first one: after relocation, before constructors */
        lc_capture_log_add(&c->log, c->is_started ? LC_BIND_MAPPED : LC_BIND_START, NULL, 0, NULL,
                           NULL);
        c->is_started = true;
    }
    lc_capture_log_flush(&c->log);
}

__attribute__((destructor)) static void capture_end(void)
{
    if (!is_silent())
        lc_capture_log_flush(&capture.log);
}
