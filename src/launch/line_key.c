/* SPDX-License-Identifier: MIT */
/* line_key.c - which image of the store is a launch line's own? */
#include "launch/line_key.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/hash.h"
#include "launch/program_key.h"
#include "util/path.h"

static enum lc_launcher is_openmpi(const char *program)
{
    (void)program;
    return LC_LAUNCHER_OPENMPI;
}

static enum lc_launcher is_hydra(const char *program)
{
    (void)program;
    return LC_LAUNCHER_HYDRA;
}

static enum lc_launcher is_pals(const char *program)
{
    (void)program;
    return LC_LAUNCHER_PALS;
}

static bool programs_are_same(const struct lc_launch_line *a, const struct lc_launch_line *b)
{
    return a->programs == b->programs &&
           memcmp(a->program, b->program, (size_t)a->programs * sizeof(a->program[0])) == 0;
}

void lc_launch_line_find_programs(struct lc_launch_line *line, char *const *argv)
{
    static lc_launcher_ask *const kinds[] = {is_openmpi, is_hydra, is_pals};
    struct lc_launch_line other;

    lc_launch_line_parse(line, argv, kinds[0]);
    for (size_t i = 1; i < sizeof(kinds) / sizeof(*kinds); i++) {
        lc_launch_line_parse(&other, argv, kinds[i]);
        if (!other.understood)
            continue;
        if (line->understood && !programs_are_same(line, &other)) {
            lc_launch_line_parse(line, argv, NULL);
            return;
        }
        *line = other;
    }
}

/* The words of one program of the line, up to the ":" before the next. */
static void program_words(const struct lc_launch_line *line, int i, struct lc_argv *out)
{
    for (char *const *w = line->argv + line->program[i]; *w; w++) {
        if (line->parts > 1 && strcmp(*w, ":") == 0)
            break;
        lc_argv_add(out, *w);
    }
}

static void words_note(struct lc_key_search *search, const struct lc_argv *words)
{
    for (size_t i = 0; i < words->count; i++)
        lc_buf_add(&search->words, words->item[i], strlen(words->item[i]) + 1);
}

int lc_line_key_add(struct lc_key_search *search, char *const *argv)
{
    struct lc_launch_line line;
    int rc = 0;

    lc_launch_line_find_programs(&line, argv);
    if (!line.understood || line.programs == 0)
        return lc_error_set(search->err, "cannot tell where the program begins: %s",
                            line.why[0] ? line.why : "not on the line");
    for (int i = 0; rc == 0 && i < line.programs; i++) {
        struct lc_argv words = {0};
        program_words(&line, i, &words);
        words_note(search, &words);
        rc = words.failed || words.count == 0
                 ? lc_error_set(search->err, "cannot tell where a program of the line begins")
                 : lc_program_key_add(search, words.item);
        lc_argv_free(&words);
    }
    return rc;
}

int lc_line_key(char *const *argv, struct lc_store_key *key, struct lc_error *err)
{
    bool all_found;

    return lc_line_key_found(argv, key, &all_found, err);
}

int lc_line_key_found(char *const *argv, struct lc_store_key *key, bool *all_found,
                      struct lc_error *err)
{
    struct lc_key_search search = {.key = key, .err = err};
    int rc = lc_line_key_add(&search, argv);

    lc_store_key_add_variables(key, environ, search.assigned.item);
    lc_store_key_finish(key);
    key->words = lc_hash(lc_buf_text(&search.words), search.words.len);
    lc_buf_free(&search.words);
    lc_argv_free(&search.assigned);
    *all_found = rc == 0 && !search.is_missing;
    return rc;
}
