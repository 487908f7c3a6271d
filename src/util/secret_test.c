/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include "util/secret.h"

static void check_hidden(const char *word, const char *before, const char *want)
{
    struct lc_buf out = {0};

    lc_secret_hide(&out, word, before);
    assert_string_equal(lc_buf_text(&out), want);
    lc_buf_free(&out);
}

static void hides_passwords_and_tokens(void **state)
{
    (void)state;
    check_hidden("--password=hunter2", NULL, "--password=***");
    check_hidden("hunter2", "--password", "***");
    check_hidden("hunter2", "--db-password", "***");
    check_hidden("HF_TOKEN=hf_x", NULL, "HF_TOKEN=***");
    check_hidden("--api-key=1", NULL, "--api-key=***");
    check_hidden("AWS_SECRET_ACCESS_KEY=a=b", NULL, "AWS_SECRET_ACCESS_KEY=***");
    check_hidden("postgresql://me:pw@host/db", NULL, "postgresql://me:***@host/db");
    check_hidden("--db=https://me:pw@host", NULL, "--db=https://me:***@host");
    check_hidden("ghp_0123456789abcdefghij", NULL, "***");
    check_hidden("--with=glpat-0123456789abcdefghij", NULL, "--with=***");
}

static void hides_them_inside_a_line(void **state)
{
    (void)state;
    check_hidden("curl --token abc -o x; ls", NULL, "curl --token *** -o x; ls");
    check_hidden("export HF_TOKEN=a b; run", NULL, "export HF_TOKEN=*** b; run");
    check_hidden("export HF_TOKEN='a b'; run", NULL, "export HF_TOKEN=***; run");
    check_hidden("Authorization: Bearer abc", "-H", "Authorization: Bearer ***");
    check_hidden("curl -H 'Authorization: Bearer abc' x", NULL,
                 "curl -H 'Authorization: Bearer ***' x");
    check_hidden("sh -c \"curl -H 'X-Api-Key: abc'\"", NULL, "sh -c \"curl -H 'X-Api-Key: ***'\"");
    check_hidden("git clone https://me:pw@host/x", NULL, "git clone https://me:***@host/x");
    check_hidden("my own phrase", "--passphrase", "***");
    check_hidden("--passphrase=my own phrase", NULL, "--passphrase=***");
    check_hidden("don't tell --token abc", NULL, "don't tell --token ***");
    check_hidden("--pass=abc", NULL, "--pass=***");
}

static void leaves_other_words_alone(void **state)
{
    static const char *const words[] = {
        "tokenize.py",
        "--tokenizer=bert",
        "--max-tokens=100",
        "--key=energy",
        "--password",
        "PWD=/srv/me",
        "http://host:80/x",
        "mail@host",
        "sk-short",
        "",
        "--secret-santa=x",
        "user:x@host",
        "echo 'a  b' && ls -l; cat <x | wc",
        "import os; print(\"it's\")",
        " ",
        "\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        check_hidden(words[i], NULL, words[i]);
    check_hidden("--verbose", "--password", "--verbose");
    check_hidden("bert", "--tokenizer", "bert");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hides_passwords_and_tokens),
        cmocka_unit_test(hides_them_inside_a_line),
        cmocka_unit_test(leaves_other_words_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
