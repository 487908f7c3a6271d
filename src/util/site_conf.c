/* SPDX-License-Identifier: MIT */
/* site_conf.c - defaults of a site: loadcast.conf */
#include "util/site_conf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/human.h"
#include "util/nearest.h"
#include "util/own_path.h"
#include "util/path.h"

#define SYSTEM_FILE "/etc/loadcast.conf"
#define INSTALLED   "/libexec/loadcast" /* the directory of loadcast-full, below the prefix */

static const char *const names[] = {"dir",       "learn", "off",  "off_for", "quiet",
                                    "store_cap", "via",   "wait", "watch",   NULL};

/* A line of the file that is being read. */
struct line {
    struct lc_site_conf *conf;
    int number;
    char *name, *value;
};

static void __attribute__((format(printf, 2, 3)))
line_complain(const struct line *line, const char *format, ...)
{
    struct lc_buf *out = &line->conf->complaints;
    va_list args;
    char text[512];

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    lc_buf_printf(out, "%s:%d: %s\n", line->conf->file, line->number, text);
}

static void text_set(char **to, const char *value)
{
    free(*to);
    *to = strdup(value);
}

static void yes_set(const struct line *line, bool *to)
{
    if (strcmp(line->value, "yes") == 0 || strcmp(line->value, "no") == 0)
        *to = line->value[0] == 'y';
    else
        line_complain(line, "'%s' is neither yes nor no", line->value);
}

/* "yes" unsets what is to be set by "no". */
static void no_set(const struct line *line, bool *to)
{
    bool yes = !*to;

    yes_set(line, &yes);
    *to = !yes;
}

static void dir_set(const struct line *line)
{
    if (line->value[0] == '/')
        text_set(&line->conf->dir, line->value);
    else
        line_complain(line, "dir: '%s' is not an absolute path", line->value);
}

static void via_set(const struct line *line)
{
    static const char *const ways[] = {"auto", "mpi", "sbcast", "fs"}; /* as lc_via_names */

    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        if (strcmp(line->value, ways[i]) == 0) {
            text_set(&line->conf->via, line->value);
            return;
        }
    line_complain(line, "via: '%s' is none of auto, mpi, sbcast, fs", line->value);
}

static void programs_add(const struct line *line)
{
    struct lc_site_conf *conf = line->conf;
    char *rest = line->value;

    for (char *word; (word = strsep(&rest, " \t"));) {
        if (*word && conf->off_fors < LC_SITE_CONF_PROGRAMS)
            conf->off_for[conf->off_fors++] = strdup(word);
        else if (*word)
            line_complain(line, "off_for: more than %d programs", LC_SITE_CONF_PROGRAMS);
    }
}

static void name_refuse(const struct line *line)
{
    const char *near = lc_nearest(line->name, names);

    if (near)
        line_complain(line, "unknown name '%s'; did you mean '%s'?", line->name, near);
    else
        line_complain(line, "unknown name '%s'", line->name);
}

static void line_use(const struct line *line)
{
    struct lc_site_conf *conf = line->conf;
    struct lc_error err = {""};

    if (strcmp(line->name, "off") == 0)
        yes_set(line, &conf->off);
    else if (strcmp(line->name, "quiet") == 0)
        yes_set(line, &conf->quiet);
    else if (strcmp(line->name, "learn") == 0)
        no_set(line, &conf->no_learn);
    else if (strcmp(line->name, "watch") == 0)
        no_set(line, &conf->no_watch);
    else if (strcmp(line->name, "off_for") == 0)
        programs_add(line);
    else if (strcmp(line->name, "dir") == 0)
        dir_set(line);
    else if (strcmp(line->name, "via") == 0)
        via_set(line);
    else if (strcmp(line->name, "wait") == 0)
        lc_parse_seconds("wait", line->value, 1, 86400, &conf->wait_s, &err);
    else if (strcmp(line->name, "store_cap") == 0)
        lc_parse_bytes("store_cap", line->value, 0, 1e18, &conf->store_cap_bytes, &err);
    else
        name_refuse(line);
    if (err.text[0])
        line_complain(line, "%s", err.text);
}

/* Without blanks before and behind it. */
static char *text_trim(char *text)
{
    char *end = text + strlen(text);

    while (isspace((unsigned char)*text))
        text++;
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}

static void line_read(struct line *line, char *text)
{
    char *value = text_trim(text);

    if (!*value || *value == '#')
        return;
    char *name = strsep(&value, "=");
    line->name = text_trim(name);
    line->value = value ? text_trim(value) : NULL;
    if (!value || !*line->name)
        line_complain(line, "'%s' is not 'name = value'", name);
    else
        line_use(line);
}

static void lines_read(struct lc_site_conf *conf, FILE *in)
{
    struct line line = {.conf = conf};
    char *text = NULL;
    size_t room = 0;

    while (getline(&text, &room, in) > 0) {
        line.number++;
        line_read(&line, text);
    }
    free(text);
}

/* Whoever owns the program can make it do anything: a file of his beside it is trusted as well. */
static bool owner_is_trusted(uid_t owner, const char *installation)
{
    struct stat st;

    return owner == 0 || owner == geteuid() ||
           (installation && stat(installation, &st) == 0 && owner == st.st_uid);
}

/* Read the file if it is there. False if it is not. 'installation': the directory of this program,
 * if the file belongs to it. */
static bool file_try(struct lc_site_conf *conf, const char *file, const char *installation)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return false;
    snprintf(conf->file, sizeof(conf->file), "%s", file);
    FILE *in = NULL;
    if (fd < 0 || fstat(fd, &st) < 0)
        lc_buf_printf(&conf->complaints, "cannot read '%s': %s\n", file, strerror(errno));
    else if (!S_ISREG(st.st_mode) || !owner_is_trusted(st.st_uid, installation) ||
             (st.st_mode & 022))
        lc_buf_printf(
            &conf->complaints,
            "'%s' is not used: it must be a file of root's or your own that others cannot "
            "write to\n",
            file);
    else
        in = fdopen(fd, "r");
    if (in)
        lines_read(conf, in);
    if (in)
        fclose(in);
    else if (fd >= 0)
        close(fd);
    return true;
}

/* The file beside this installation: PREFIX/etc/loadcast.conf for PREFIX/libexec/loadcast. */
static bool installed_try(struct lc_site_conf *conf)
{
    char dir[PATH_MAX], file[PATH_MAX + 32];
    struct lc_error ignored;

    if (lc_own_directory(dir, &ignored) < 0)
        return false;
    size_t n = strlen(dir), tail = sizeof(INSTALLED) - 1;
    if (n <= tail || strcmp(dir + n - tail, INSTALLED) != 0)
        return false;
    snprintf(file, sizeof(file), "%.*s/etc/loadcast.conf", (int)(n - tail), dir);
    return strlen(file) < PATH_MAX && file_try(conf, file, dir);
}

const struct lc_site_conf *lc_site_conf(void)
{
    static struct lc_site_conf conf;
    static bool is_read;
    const char *given = getenv("LOADCAST_CONF");

    if (is_read)
        return &conf;
    is_read = true;
    if (given) {
        if (*given && !file_try(&conf, given, NULL))
            lc_buf_printf(&conf.complaints, "$LOADCAST_CONF: no file '%s'\n", given);
    } else if (!installed_try(&conf)) {
        file_try(&conf, SYSTEM_FILE, NULL);
    }
    return &conf;
}

bool lc_site_conf_is_off_for(const struct lc_site_conf *conf, const char *program)
{
    for (int i = 0; i < conf->off_fors; i++)
        if (conf->off_for[i] && fnmatch(conf->off_for[i], lc_path_base(program), 0) == 0)
            return true;
    return false;
}
