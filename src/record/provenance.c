/* SPDX-License-Identifier: MIT */
/* provenance.c - how, when and where an image was made: JSON text in the image */
#include "record/provenance.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "util/json.h"
#include "util/secret.h"

extern char **environ;

json_t *lc_provenance_of(const struct lc_image *image)
{
    size_t len;
    const char *text = lc_image_provenance(image, &len);
    json_t *value = text ? json_loadb(text, len, 0, NULL) : NULL;

    if (json_is_object(value))
        return value;
    json_decref(value);
    return json_object();
}

char *lc_provenance_checked(const struct lc_image *image)
{
    json_t *p = lc_provenance_of(image);
    char *none[] = {NULL};
    json_t *now = lc_json_provenance("loadcast check", none);

    json_object_del(now, "command");
    if (lc_image_is_foreign(image))
        json_object_del(p, "python"); /* our overlay must not name another user's interpreters */
    json_object_set_new(p, "checked", now);
    char *text = json_dumps(p, JSON_INDENT(1));
    json_decref(p);
    return text;
}

char *lc_provenance_python(const struct lc_image *image, const char *cache_tag)
{
    json_t *p = lc_provenance_of(image), *one;
    char *found = NULL;
    size_t i;

    json_array_foreach(json_object_get(p, "python"), i, one)
    {
        const char *tag = json_string_value(json_object_get(one, "cache_tag"));
        const char *executable = json_string_value(json_object_get(one, "executable"));
        if (!found && tag && executable && strcmp(tag, cache_tag) == 0)
            found = strdup(executable);
    }
    json_decref(p);
    return found;
}

static json_t *environment_json(void)
{
    json_t *all = json_object();

    for (char **e = environ; *e; e++) {
        const char *equals = strchr(*e, '=');
        char name[128];
        if (!equals || (strncmp(*e, "PYTHON", 6) != 0 && strncmp(*e, "LD_", 3) != 0) ||
            (size_t)(equals - *e) >= sizeof(name))
            continue;
        struct lc_buf text = {0};
        snprintf(name, sizeof(name), "%.*s", (int)(equals - *e), *e);
        lc_secret_hide(&text, *e, NULL);
        const char *value = strchr(lc_buf_text(&text), '=');
        json_object_set_new(all, name, lc_json_text(value ? value + 1 : ""));
        lc_buf_free(&text);
    }
    return all;
}

void lc_provenance_add_system(json_t *into)
{
    char hwcap[64];
    const char *platform = (const char *)getauxval(AT_PLATFORM);

    snprintf(hwcap, sizeof(hwcap), "%lx %lx %s", getauxval(AT_HWCAP), getauxval(AT_HWCAP2),
             platform ? platform : "");
    json_object_set_new(into, "glibc", json_string(gnu_get_libc_version()));
    json_object_set_new(into, "hwcap", json_string(hwcap));
    json_object_set_new(into, "environment", environment_json());
}

void lc_provenance_add_python(json_t *into, const char *executable, const char *version,
                              const char *cache_tag)
{
    json_t *all = json_object_get(into, "python"), *one;
    size_t i;

    if (!all)
        json_object_set_new(into, "python", all = json_array());
    json_array_foreach(all, i, one)
    {
        const char *name = json_string_value(json_object_get(one, "executable"));
        if (name && strcmp(name, executable) == 0)
            return;
    }
    json_array_append_new(all, json_pack("{s:o, s:s, s:s}", "executable", lc_json_text(executable),
                                         "version", version, "cache_tag", cache_tag));
}
