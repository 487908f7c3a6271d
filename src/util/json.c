/* SPDX-License-Identifier: MIT */
/* json.c - jansson with what every command needs */
#include "util/json.h"

#include <errno.h>
#include <string.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "config.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/output.h"
#include "util/secret.h"

json_t *lc_json_text(const char *bytes)
{
    json_t *text = json_string(bytes); /* NULL if not UTF-8 */
    struct lc_buf buf = {0};

    if (text)
        return text;
    lc_buf_escape(&buf, bytes, strlen(bytes));
    text = json_string(lc_buf_text(&buf));
    lc_buf_free(&buf);
    return text;
}

static json_t *word_without_secrets(const char *word, const char *before)
{
    struct lc_buf text = {0};

    lc_secret_hide(&text, word, before);
    json_t *value = lc_json_text(lc_buf_text(&text));
    lc_buf_free(&text);
    return value;
}

json_t *lc_json_provenance(const char *program, char *const argv[])
{
    struct utsname uts;
    char time[32];
    json_t *command = json_array();

    uname(&uts);
    lc_clock_iso(time, sizeof(time), lc_clock_wall_ns());
    for (size_t i = 0; argv[i]; i++)
        json_array_append_new(command, word_without_secrets(argv[i], i > 0 ? argv[i - 1] : NULL));
    return json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:o}", "program", program, "version",
                     LC_VERSION, "time", time, "host", lc_json_text(uts.nodename), "kernel",
                     uts.release, "machine", uts.machine, "command", command);
}

static int write_stream(json_t *value, FILE *out)
{
    if (json_dumpf(value, out, JSON_INDENT(2)) < 0)
        return -1;
    fputc('\n', out);
    return fflush(out) || ferror(out) ? -1 : 0;
}

int lc_json_write(json_t *value, const char *file, struct lc_error *err)
{
    struct lc_output out;

    if (lc_output_open(&out, file, err) < 0)
        return -1;
    int rc = write_stream(value, out.stream);
    if (rc < 0)
        lc_error_errno(err, "cannot write JSON to '%s'", file);
    return lc_output_close(&out, rc == 0, err) < 0 ? -1 : rc;
}

json_t *lc_json_read(int fd)
{
    struct lc_buf text = {0};
    char block[4096];
    ssize_t n = -1;

    while (fd >= 0 && ((n = read(fd, block, sizeof(block))) > 0 || (n < 0 && errno == EINTR)))
        lc_buf_add(&text, block, n > 0 ? (size_t)n : 0);
    json_t *value =
        n == 0 && !text.failed ? json_loadb(lc_buf_text(&text), text.len, 0, NULL) : NULL;
    lc_buf_free(&text);
    if (fd >= 0)
        close(fd);
    return value;
}
