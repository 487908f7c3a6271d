/* SPDX-License-Identifier: MIT */
/* advice.c - what to record so that a path that was passed through is answered next time */
#include "cmd/advice.h"

#include <string.h>

#include "util/path.h"

/* ".../site-packages/pkg/sub/file" becomes ".../site-packages/pkg". False: the path is not below
 * site-packages or dist-packages. */
static bool shorten_to_package(char *path)
{
    static const char *const trees[] = {"/site-packages/", "/dist-packages/"};

    for (size_t i = 0; i < sizeof(trees) / sizeof(*trees); i++) {
        char *at = strstr(path, trees[i]), *package = at ? at + strlen(trees[i]) : NULL;
        if (!package || !*package)
            continue;
        package[strcspn(package, "/")] = '\0';
        return true;
    }
    return false;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n > m && strcmp(name + n - m, end) == 0;
}

static bool is_loaded_code(const char *path)
{
    const char *name = lc_path_base(path);

    return ends_with(name, ".so") || strstr(name, ".so.") || ends_with(name, ".py") ||
           ends_with(name, ".pyc") || ends_with(name, ".pth");
}

bool lc_advice_shorten(char *path, const char *image)
{
    if (!shorten_to_package(path) && !is_loaded_code(path))
        return false;
    return !image || !lc_path_is_under(image, path);
}
