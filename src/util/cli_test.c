/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <stdlib.h>
#include <string.h>

#include "util/cli.h"

static struct {
    bool quiet;
    long ranks;
    long pair[2];
    double wait_s;
    const char *out;
    const char *mode;
    struct lc_strings add;
} v;

static const char *const modes[] = {"fast", "slow", NULL};
static const struct lc_opt opts[] = {
    {'q', "quiet", LC_OPT_FLAG, &v.quiet, NULL, "say nothing"},
    {'n', "ranks", LC_OPT_LONG, &v.ranks, "N", "how many", 1, 1000},
    {'u', NULL, LC_OPT_PAIR, v.pair, "N F", "two numbers", 0, 100},
    {0, "for", LC_OPT_SECONDS, &v.wait_s, "TIME", "how long", 0, 100},
    {'o', "out", LC_OPT_STRING, &v.out, "FILE", "where to"},
    {0, "mode", LC_OPT_CHOICE, &v.mode, "MODE", "how", .choices = modes},
    {0, "add", LC_OPT_STRINGS, &v.add, "PATH", "more"},
    {0},
};
static struct lc_cli cli = {"prog", "[options] WORD", "a test", NULL, opts, false};

/* Parse words separated by blanks; returns the parser's code. */
static char *words[32];
static int first, count;
static struct lc_error err;
static int parse(const char *line)
{
    static char copy[256];

    memset(&v, 0, sizeof(v));
    count = 0;
    words[count++] = "prog";
    strcpy(copy, line);
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
        words[count++] = w;
    words[count] = NULL;
    return lc_cli_parse(&cli, count, words, &first, &err);
}

static void reads_every_kind_of_option(void **state)
{
    (void)state;
    assert_int_equal(parse("-qn12 -u 3 4 --for=250ms --out f --mode slow --add a --add=b"), 0);
    assert_true(v.quiet);
    assert_int_equal(v.ranks, 12);
    assert_int_equal(v.pair[0] * 10 + v.pair[1], 34);
    assert_true(v.wait_s == 0.25);
    assert_string_equal(v.out, "f");
    assert_string_equal(v.mode, "slow");
    assert_int_equal(v.add.count, 2);
    assert_int_equal(first, count);
}

static void moves_words_behind_options(void **state)
{
    (void)state;
    assert_int_equal(parse("900 -q 1250 -- -x"), 0);
    assert_int_equal(count - first, 3);
    assert_string_equal(words[first], "900");
    assert_string_equal(words[first + 2], "-x");
}

static void leaves_the_users_command_alone(void **state)
{
    (void)state;
    cli.stop_at_word = true;
    assert_int_equal(parse("-q ls -n x"), 0);
    assert_string_equal(words[first], "ls");
    assert_int_equal(parse("-q -- -ls"), 0);
    assert_string_equal(words[first], "-ls");
    cli.stop_at_word = false;
}

static void refuses_with_the_nearest_name_or_the_range(void **state)
{
    (void)state;
    assert_int_equal(parse("--rnaks 3"), -1);
    assert_non_null(strstr(err.text, "did you mean '--ranks'"));
    assert_int_equal(parse("--ranks 0"), -1);
    assert_non_null(strstr(err.text, "from 1 to 1000"));
    assert_int_equal(parse("--ranks"), -1);
    assert_non_null(strstr(err.text, "needs an argument"));
    assert_int_equal(parse("--quiet=1"), -1);
    assert_int_equal(parse("--mode medium"), -1);
    assert_non_null(strstr(err.text, "fast, slow"));
    assert_int_equal(parse("-u 3"), -1);
    assert_int_equal(parse("-z"), -1);
}

static void shows_live_defaults(void **state)
{
    char *text = NULL;
    size_t len;

    (void)state;
    v.ranks = 24;
    FILE *out = open_memstream(&text, &len);
    lc_cli_help(&cli, out);
    fclose(out);
    assert_non_null(strstr(text, "-n, --ranks N"));
    assert_non_null(strstr(text, "(default: 24)"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind_of_option),
        cmocka_unit_test(moves_words_behind_options),
        cmocka_unit_test(leaves_the_users_command_alone),
        cmocka_unit_test(refuses_with_the_nearest_name_or_the_range),
        cmocka_unit_test(shows_live_defaults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
