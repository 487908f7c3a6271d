/* SPDX-License-Identifier: MIT */
/* bench_environment.c - loadcast bench --debug: in which environment was this measured? */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/suite.h"
#include "cmd/bench.h"
#include "util/buf.h"

/* Does the name of a variable tell that its value is secret? */
static bool is_credential(const char *variable)
{
    static const char *const words[] = {"TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "COOKIE"};
    char name[128];
    size_t n = 0;

    for (; variable[n] && variable[n] != '=' && n < sizeof(name) - 1; n++)
        name[n] = (char)toupper((unsigned char)variable[n]);
    name[n] = '\0';
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

/* One comment line; line ends inside the value are shown as \n. */
static void comment_add(struct lc_buf *text, const char *value)
{
    lc_buf_puts(text, "#   ");
    for (; *value; value++)
        if (*value == '\n')
            lc_buf_puts(text, "\\n");
        else
            lc_buf_add(text, value, 1);
    lc_buf_puts(text, "\n");
}

/* Environment modules and Lmod keep the list in a variable, separated by colons. */
static void modules_add(struct lc_buf *text, void (*say)(const char *text))
{
    const char *modules = getenv("LOADEDMODULES");
    char line[1000];

    lc_buf_puts(text, "# modules:\n");
    comment_add(text, modules && *modules ? modules : "none");
    snprintf(line, sizeof(line), "modules: %.900s", modules && *modules ? modules : "none");
    say(line);
}

void lc_bench_note_environment(struct lc_suite *suite, void (*say)(const char *text))
{
    struct lc_buf text = {0};

    lc_buf_printf(&text, "%s\n", suite->text);
    modules_add(&text, say);
    lc_buf_puts(&text, "# environment:\n");
    for (char **variable = environ; *variable; variable++)
        if (!is_credential(*variable))
            comment_add(&text, *variable);
    if (text.failed) {
        lc_buf_free(&text);
        return;
    }
    free(suite->text);
    suite->text = text.data;
}
