/* SPDX-License-Identifier: MIT */
/* suspect.c - a program that died while it loaded: which part of the client is off in its next runs
 */
#include "store/suspect.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "store/facts.h"

#define NAME "suspect-"

enum { FORMAT = 2 };

static enum lc_off next_untried(const struct lc_suspect *s)
{
    static const enum lc_off order[] = {LC_OFF_BINDINGS, LC_OFF_AUDIT};

    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        if (!(s->tried >> order[i] & 1))
            return order[i];
    return LC_OFF_ALL;
}

static void first_died(struct lc_suspect *s, enum lc_off seen, bool has_replayed, int status)
{
    s->state = LC_SUSPECT_TRYING;
    s->seen = seen;
    s->tried = has_replayed ? 0 : 1u << LC_OFF_BINDINGS;
    s->off = seen ? seen : next_untried(s);
    s->status = status;
}

static void trial_died(struct lc_suspect *s)
{
    s->tried |= 1u << s->off;
    if (s->off == LC_OFF_AUDIT) /* without it nothing is replayed */
        s->tried |= 1u << LC_OFF_BINDINGS;
    if (s->off == LC_OFF_ALL || s->off == LC_OFF_WATCHING) {
        s->state = LC_SUSPECT_OWN_FAULT;
        s->off = LC_OFF_NOTHING;
        return;
    }
    s->off = next_untried(s);
}

void lc_suspect_died(struct lc_suspect *s, enum lc_off seen, bool has_replayed, int status)
{
    if (s->state == LC_SUSPECT_NONE) {
        first_died(s, seen, has_replayed, status);
    } else if (s->state == LC_SUSPECT_TRYING) {
        trial_died(s);
    } else if (s->state == LC_SUSPECT_KEPT && seen && s->off != LC_OFF_ALL) {
        s->state = LC_SUSPECT_TRYING;
        s->off = LC_OFF_ALL;
    }
}

void lc_suspect_died_watched(struct lc_suspect *s, int status)
{
    if (s->state == LC_SUSPECT_NONE)
        *s = (struct lc_suspect){
            .state = LC_SUSPECT_TRYING, .off = LC_OFF_WATCHING, .status = status};
}

void lc_suspect_lived(struct lc_suspect *s)
{
    if (s->state == LC_SUSPECT_TRYING)
        s->state = LC_SUSPECT_KEPT;
}

static void fact_name(char out[LC_STORE_FACT_NAME], uint64_t id)
{
    snprintf(out, LC_STORE_FACT_NAME, NAME "%016" PRIx64, id);
}

static void text_read(const char *text, struct lc_suspect *out)
{
    char version[64];
    int format = 0;
    unsigned state, off, seen;

    if (sscanf(text, "%d %63s %u %u %u %u %d %" SCNx64, &format, version, &state, &off, &seen,
               &out->tried, &out->status, &out->stamp) != 8 ||
        format != FORMAT || strcmp(version, LC_VERSION) != 0 || state > LC_SUSPECT_OWN_FAULT ||
        off >= LC_OFFS || seen >= LC_OFFS) {
        *out = (struct lc_suspect){.state = LC_SUSPECT_NONE};
        return;
    }
    out->state = (enum lc_suspect_state)state;
    out->off = (enum lc_off)off;
    out->seen = (enum lc_off)seen;
}

void lc_suspect_read_in(const struct lc_store_dir *dir, uint64_t id, struct lc_suspect *out)
{
    char file[LC_STORE_FACT_NAME + 8], text[256];

    *out = (struct lc_suspect){.state = LC_SUSPECT_NONE};
    snprintf(file, sizeof(file), "fact." NAME "%016" PRIx64, id);
    if (lc_store_dir_get(dir, file, text, sizeof(text)) > 0)
        text_read(text, out);
}

void lc_suspect_read(uint64_t id, struct lc_suspect *out)
{
    struct lc_store_dir dir;
    int saved = errno;

    *out = (struct lc_suspect){.state = LC_SUSPECT_NONE};
    if (lc_store_dir_open(&dir, false, NULL) == 0) {
        lc_suspect_read_in(&dir, id, out);
        lc_store_dir_close(&dir);
    }
    errno = saved;
}

void lc_suspect_write(uint64_t id, const struct lc_suspect *s)
{
    char name[LC_STORE_FACT_NAME], text[256];

    if (s->state == LC_SUSPECT_NONE) {
        lc_suspect_forget(id);
        return;
    }
    fact_name(name, id);
    snprintf(text, sizeof(text), "%d %s %d %d %d %u %d %016" PRIx64 "\n", FORMAT, LC_VERSION,
             (int)s->state, (int)s->off, (int)s->seen, s->tried, s->status, s->stamp);
    lc_store_fact_write(name, text);
}

bool lc_suspect_forget(uint64_t id)
{
    char file[LC_STORE_FACT_NAME + 8];
    struct lc_store_dir dir;

    if (lc_store_dir_open(&dir, false, NULL) < 0)
        return false;
    snprintf(file, sizeof(file), "fact." NAME "%016" PRIx64, id);
    bool was_there = unlinkat(dir.fd, file, 0) == 0;
    lc_store_dir_close(&dir);
    return was_there;
}

unsigned lc_suspect_forget_all(void)
{
    struct lc_store_dir dir;
    unsigned count = 0;

    if (lc_store_dir_open(&dir, false, NULL) < 0)
        return 0;
    DIR *d = opendir(dir.path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, "fact." NAME, sizeof("fact." NAME) - 1) == 0)
            count += unlinkat(dir.fd, e->d_name, 0) == 0;
    if (d)
        closedir(d);
    lc_store_dir_close(&dir);
    return count;
}

uint64_t lc_suspect_id_of_key(const char *key)
{
    const char *hash = strrchr(key, '-');

    return strtoull(hash ? hash + 1 : key, NULL, 16);
}

const char *lc_off_text(enum lc_off off)
{
    static const char *const text[LC_OFFS] = {
        [LC_OFF_NOTHING] = "nothing",
        [LC_OFF_BINDINGS] = "recorded symbol bindings",
        [LC_OFF_PYTHON] = "the hook into Python's import system",
        [LC_OFF_AUDIT] = "the auditor",
        [LC_OFF_ALL] = "Loadcast",
        [LC_OFF_WATCHING] = "watching for an image",
    };

    return text[off];
}
