/* SPDX-License-Identifier: MIT */
/* record.c - LD_AUDIT in the pilot: which object asked ld.so for which name, and what it got.
 *
 * Freestanding: no libc, no TLS, no allocation. Lives in the user's process, so it never prints,
 * never ends the process, keeps no descriptor open, and does nothing at all when anything is odd.
 * ld.so calls it with its own lock held: one call at a time.
 *
 * Each block that is appended to the log (its name is in LOADCAST_SEARCH_LOG) stands for itself:
 *   key HWCAP HWCAP2 CACHE LEVEL EXECUTABLE LIBRARY_PATH TUNABLES PLATFORM
 *   found CHAIN LOADER NAME RESULT                              (tabs between; RESULT may be empty)
 *
 * Where ptrace is forbidden, what ld.so opens and tries is noted besides
 * (client/audit/record_loader.h).
 */
#include <link.h>
#include <linux/fcntl.h>
#include <stdbool.h>

#include "client/audit/dtv.h"
#include "client/audit/measure.h"
#include "client/audit/record_loader.h"
#include "client/audit/start_again.h"
#include "client/rtld_audit.h"
#include "image/bytes.h"
#include "node/call_log.h"
#include "node/loaded_objects.h"
#include "node/preflight.h"
#include "node/search_key.h"
#include "node/syscall.h"
#include "node/watch_filter.h"
#include "node/watched.h"

enum { TEXT = 65536, NAME = 4096, NO_ENTRY = 2 };

static struct {
    char log_path[NAME];
    struct lc_key key;
    struct lc_objects objects;
    struct lc_dtv dtv;
    struct lc_watch_filter filter;
    struct lc_measure measure;
    struct lc_start_check check;
    bool is_idle, is_started, is_measuring;
    /* The block under way: */
    char text[TEXT];
    size_t text_len;
    bool is_too_long; /* the line under way does not fit */
    /* The question under way: */
    char asked[256];      /* empty: none */
    char candidate[NAME]; /* the last place ld.so tried */
    bool is_tried;        /* it is not known yet what came of that */
    uintptr_t asker;      /* 0: nobody; also for names with a slash, which are not searched */
} self;

/* Is nothing to be recorded, or may a system call of ours end the program? */
static bool is_silent(void)
{
    return self.is_idle || lc_watch_filter_is_set(&self.filter);
}

static void put(const char *s)
{
    for (; *s; s++) {
        /* What would break the log's lines cannot be recorded. */
        if (self.text_len == TEXT || (unsigned char)*s < ' ' || *s == '\\') {
            self.is_too_long = true;
            return;
        }
        self.text[self.text_len++] = *s;
    }
}

static void put_separator(char c)
{
    if (self.text_len < TEXT)
        self.text[self.text_len++] = c;
    else
        self.is_too_long = true;
}

static void put_number(uint64_t n, unsigned base)
{
    char digits[24];
    size_t i = sizeof(digits) - 1;

    digits[i] = '\0';
    do
        digits[--i] = "0123456789abcdef"[n % base];
    while (n /= base);
    put(digits + i);
}

static void put_key(void)
{
    put("key");
    put_separator('\t');
    put_number(self.key.hwcap, 16);
    put_separator('\t');
    put_number(self.key.hwcap2, 16);
    put_separator('\t');
    put_number(self.key.cache, 16);
    put_separator('\t');
    put_number(self.key.cpu_level, 10);
    put_separator('\t');
    put(self.key.executable);
    put_separator('\t');
    put(self.key.library_path);
    put_separator('\t');
    put(self.key.tunables);
    put_separator('\t');
    put(self.key.platform);
    put_separator('\n');
}

static void flush(void)
{
    int fd = self.text_len
                 ? (int)lc_sys_open(self.log_path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)
                 : -1;

    if (fd >= 0) {
        lc_sys_append(fd, self.text, self.text_len);
        lc_sys_close(fd);
    }
    self.text_len = 0;
}

static void put_found(const struct lc_object *loader, const char *result)
{
    put("found");
    put_separator('\t');
    put_number(lc_objects_chain(&self.objects, loader), 16);
    put_separator('\t');
    put(loader->path);
    put_separator('\t');
    put(self.asked);
    put_separator('\t');
    put(result);
    put_separator('\n');
}

/* Write one line, into a new block if this one is full. */
static void note(const struct lc_object *loader, const char *result)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t before = self.text_len;
        self.is_too_long = false;
        if (self.text_len == 0)
            put_key();
        put_found(loader, result);
        if (!self.is_too_long)
            return;
        self.text_len = before;
        flush();
    }
}

/* What came of the last place ld.so tried: it loaded an object from there, or it went on to the
 * next place (-ENOENT, mostly). At a question's end nobody but the file system knows: the file may
 * have been loaded already under another name. */
static bool place_settle(long result)
{
    if (self.is_tried)
        lc_loader_tried(self.candidate, result);
    self.is_tried = false;
    return result == 0;
}

static bool place_ask(void)
{
    return self.candidate[0] && place_settle(lc_sys_access(self.candidate, 4 /* R_OK */));
}

/* The question under way has been answered with 'result', or, NULL, without a new object: then the
 * file was loaded already under another name, or there is none. */
static void answer(const char *result)
{
    const struct lc_object *loader = lc_objects_get(&self.objects, self.asker);

    bool is_known = self.asked[0] && loader && loader->path;
    if (!result && (is_known || self.is_tried) && place_ask())
        result = self.candidate;
    if (is_known)
        note(loader, result ? result : "");
    self.asked[0] = '\0';
}

static void block_end(void)
{
    if (is_silent())
        return;
    answer(NULL);
    flush();
}

static bool copy(char *out, size_t room, const char *from)
{
    size_t n = lc_bytes_length(from);

    if (n >= room) {
        out[0] = '\0';
        return false;
    }
    lc_bytes_move(out, from, n + 1);
    return true;
}

static bool has_slash(const char *s)
{
    while (*s && *s != '/')
        s++;
    return *s == '/';
}

unsigned la_version(unsigned version)
{
    char measure[8];
    char again[8]; /* whether it is set is enough */
    struct lc_variable v[] = {{"LOADCAST_SEARCH_LOG", self.log_path, sizeof(self.log_path), 0},
                              {LC_PREFLIGHT_VARIABLE, measure, sizeof(measure), 0},
                              {LC_WATCHED_AGAIN, again, sizeof(again), 0},
                              /* the block's room is still free */
                              {LC_PILOT_VARIABLE, self.text, NAME, 0}};
    bool is_read = lc_key_read(&self.key, v, 4);

    self.is_measuring = lc_measure_begin(&self.measure, v[1].found == 1 ? measure : "");
    self.is_idle = !is_read || v[0].found != 1 || self.is_measuring;
    self.check.is_wanted = !self.is_measuring && v[2].found != 0;
    if (self.is_idle)
        return version; /* never 0: see dtv.h */
    self.key.cache = lc_key_hash_cache();
    self.key.cpu_level = lc_key_cpu_level();
    if (v[3].found == 1 && lc_pilot_log_to(self.text))
        lc_loader_started(self.key.executable);
    return version;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    if (is_silent())
        return (char *)name;
    if (flag == LA_SER_ORIG) {
        answer(NULL);
        self.candidate[0] = '\0';
        self.asker = lc_objects_asker(cookie);
        if (!has_slash(name))
            copy(self.asked, sizeof(self.asked), name);
    } else {
        place_settle(-NO_ENTRY);
    }
    if (has_slash(name) || flag != LA_SER_ORIG)
        self.is_tried = copy(self.candidate, sizeof(self.candidate), name) && has_slash(name);
    return (char *)name;
}

/* ld.so gives an object the name of the place it tried last. */
static void object_opened(const char *name)
{
    if (lc_bytes_same(name, self.candidate))
        place_settle(0);
    if (has_slash(name))
        lc_loader_mapped(name);
}

unsigned la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
    bool is_program = !self.objects.program && map->l_name && !map->l_name[0];
    uintptr_t loader = self.asker;

    if (self.is_measuring) {
        lc_measure_object(&self.measure, map, !self.is_started, false,
                          &self.key); /* the program comes first */
        self.is_started = true;
        return 0;
    }
    lc_dtv_opened(&self.dtv, map, lmid);
    if (lmid == LM_ID_BASE)
        lc_start_check_object(&self.check, map, &self.key);
    if (is_silent())
        return 0;
    lc_watch_filter_see(&self.filter, map);
    object_opened(map->l_name ? map->l_name : "");
    if (lmid != LM_ID_BASE) {
        self.asked[0] = '\0';
        self.asker = 0;
        *cookie = 0;
        return 0;
    }
    if (self.asked[0] && map->l_name)
        answer(map->l_name);
    self.asker = 0;
    *cookie =
        lc_objects_add(&self.objects, map, is_program ? self.key.executable : map->l_name, loader);
    if (is_program)
        self.objects.program = lc_objects_get(&self.objects, *cookie);
    return 0;
}

unsigned la_objclose(uintptr_t *cookie)
{
    if (is_silent())
        return 0;
    answer(NULL); /* before the one who asked is forgotten */
    lc_objects_remove(&self.objects, *cookie);
    return 0;
}

void la_activity(uintptr_t *cookie, unsigned flag)
{
    (void)cookie;
    if (flag != LA_ACT_CONSISTENT)
        return;
    lc_dtv_consistent(&self.dtv);
    lc_start_check_end(&self.check);
    block_end();
}

void la_preinit(uintptr_t *cookie)
{
    (void)cookie;
    block_end();
}

__attribute__((destructor)) static void at_end(void)
{
    block_end();
}
