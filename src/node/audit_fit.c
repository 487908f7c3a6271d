/* SPDX-License-Identifier: MIT */
/* audit_fit.c - remember which programs can be started under our auditor. Freestanding. */
#include "node/audit_fit.h"

#include <asm/stat.h>

#include "image/bytes.h"
#include "node/glibc_versions.h"
#include "node/preflight.h"
#include "node/syscall.h"

/* Layout of a slot's value: 1 (set), kind (8 bits), staged (16 bits), tls_bytes (32 bits) */
enum { STAGED_SHIFT = 32, KIND_SHIFT = 48, TRIES = 16 };
#define IS_SET ((uint64_t)1 << 63)

const char *lc_fit_variable(char *const *env, const char *name)
{
    const char *value = NULL;

    for (; !value && *env; env++)
        value = lc_fit_value(*env, name);
    return value;
}

static uint64_t text_mix(uint64_t hash, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return (hash ^ hash >> 29) * 0x9e3779b97f4a7c15u;
}

static bool is_our_preload(const char *item, size_t len)
{
    size_t n = sizeof(LC_NODE_PRELOAD) - 1;

    return len > n && lc_bytes_equal(item + len - n, LC_NODE_PRELOAD, n);
}

static uint64_t preloads_mix(uint64_t hash, const char *list)
{
    for (size_t n; list && *list; list += n + (list[n] != '\0')) {
        for (n = 0; list[n] && list[n] != ':' && list[n] != ' '; n++)
            ;
        if (n > 0 && !is_our_preload(list, n))
            hash = text_mix(hash, list, n);
    }
    return hash;
}

#define FIRST_HASH 0xcbf29ce484222325u

static uint64_t environment_mix(uint64_t hash, char *const *env)
{
    const char *path = lc_fit_variable(env, "LD_LIBRARY_PATH");

    if (path)
        hash = text_mix(hash, path, lc_bytes_length(path));
    hash = preloads_mix(hash, lc_fit_variable(env, "LD_PRELOAD"));
    return hash ? hash : 1;
}

uint64_t lc_fit_key_of(const struct lc_file_status *file, char *const *env)
{
    uint64_t part[] = {file->dev, file->ino, file->size, file->mtime, file->mtime_ns};

    return environment_mix(text_mix(FIRST_HASH, (const char *)part, sizeof(part)), env);
}

uint64_t lc_fit_key(const char *file, char *const *env)
{
    struct stat st;

    if (LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, file, &st, 0) != 0)
        return environment_mix(text_mix(FIRST_HASH, file, lc_bytes_length(file)), env);
    return lc_fit_key_of(&(struct lc_file_status){.dev = st.st_dev,
                                                  .ino = st.st_ino,
                                                  .size = (uint64_t)st.st_size,
                                                  .mtime = st.st_mtime,
                                                  .mtime_ns = st.st_mtime_nsec},
                         env);
}

struct lc_fit lc_fit_find(const struct lc_fit_slot table[LC_FITS], uint64_t key)
{
    for (uint64_t i = 0; i < TRIES; i++) {
        const struct lc_fit_slot *slot = &table[(key + i) % LC_FITS];
        uint64_t its = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
        uint64_t value = __atomic_load_n(&slot->value, __ATOMIC_ACQUIRE);
        if (!its)
            break;
        if (its == key && (value & IS_SET))
            return (struct lc_fit){(value >> KIND_SHIFT) & 3, (uint32_t)value,
                                   (value >> STAGED_SHIFT) & 0xffff};
    }
    return (struct lc_fit){LC_FIT_UNKNOWN, 0, 0};
}

void lc_fit_put(struct lc_fit_slot table[LC_FITS], uint64_t key, const struct lc_fit *fit)
{
    uint64_t staged = fit->staged < 0xffff ? fit->staged : 0xffff;
    uint64_t value =
        IS_SET | (uint64_t)fit->kind << KIND_SHIFT | staged << STAGED_SHIFT | fit->tls_bytes;

    for (uint64_t i = 0; i < TRIES; i++) {
        struct lc_fit_slot *slot = &table[(key + i) % LC_FITS];
        uint64_t none = 0;
        if (__atomic_compare_exchange_n(&slot->key, &none, key, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) ||
            none == key) {
            __atomic_store_n(&slot->value, value, __ATOMIC_RELEASE);
            return;
        }
    }
}

uint64_t lc_fit_free(uint32_t minor)
{
    return lc_glibc_untested(minor) >> LC_GLIBC_STATIC_TLS & 1 ? 0 : LC_FIT_FREE;
}

static size_t text_copy(char *out, size_t at, const char *text)
{
    while (*text && at < LC_PASSED_LEN - 1)
        out[at++] = *text++;
    out[at] = '\0';
    return at;
}

void lc_fit_note_refusal(struct lc_live *live, const char *why, const char *program)
{
    uint32_t none = 0;

    __atomic_fetch_add(&live->unfit, 1, __ATOMIC_RELAXED);
    if (!__atomic_compare_exchange_n(&live->unfit_state, &none, 1, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return;
    text_copy(live->unfit_text,
              text_copy(live->unfit_text, text_copy(live->unfit_text, 0, program), ": "), why);
    __atomic_store_n(&live->unfit_state, 2, __ATOMIC_RELEASE);
}

/* Parse a number as ld.so does: hexadecimal after 0x, octal after 0. */
static uint64_t read_number(const char *text)
{
    unsigned base = text[0] != '0' ? 10 : text[1] == 'x' || text[1] == 'X' ? 16 : 8;
    uint64_t n = 0;

    for (text += base == 16 ? 2 : 0; n < (uint64_t)1 << 40; text++) {
        unsigned digit = *text >= '0' && *text <= '9'   ? (unsigned)(*text - '0')
                         : *text >= 'a' && *text <= 'f' ? (unsigned)(*text - 'a' + 10)
                         : *text >= 'A' && *text <= 'F' ? (unsigned)(*text - 'A' + 10)
                                                        : 99;
        if (digit >= base)
            break;
        n = n * base + digit;
    }
    return n;
}

struct lc_fit_room lc_fit_room(const char *tunables)
{
    struct lc_fit_room room = {0, 0};

    for (size_t n; tunables && *tunables; tunables += n + (tunables[n] != '\0')) {
        for (n = 0; tunables[n] && tunables[n] != ':'; n++)
            ;
        const char *value = lc_fit_value(tunables, LC_TLS_TUNABLE);
        if (value)
            *(lc_fit_is_our_room(tunables) ? &room.ours : &room.users) = read_number(value);
    }
    return room;
}

uint64_t lc_fit_wanted(const struct lc_fit *fit, uint32_t recorded, uint64_t users)
{
    uint64_t bytes = fit->tls_bytes > recorded ? fit->tls_bytes : recorded;

    if (fit->kind != LC_FIT_YES || bytes == 0)
        return 0;
    return bytes + (users > LC_FIT_SPARE ? users : LC_FIT_SPARE);
}
