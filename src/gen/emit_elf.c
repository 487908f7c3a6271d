/* SPDX-License-Identifier: MIT */
/* emit_elf.c - the model's libraries as finished shared objects */
#include "gen/emit_elf.h"

#include <string.h>
#include <sys/utsname.h>

#include "gen/elf_shared.h"
#include "gen/name.h"

const struct lc_machine *lc_machine_find(const char *name)
{
    static const struct lc_machine *const all[] = {&lc_machine_x86_64, &lc_machine_aarch64};
    struct utsname here;

    if (!name)
        name = uname(&here) < 0                      ? ""
               : strcmp(here.machine, "x86_64") == 0 ? "x86-64"
                                                     : here.machine;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

/* All libraries of a kind, as DT_NEEDED names them. */
static void needed_add_all(const struct lc_model *model, enum lc_lib_kind kind,
                           struct lc_shared_wish *wish)
{
    for (size_t i = 0; i < lc_model_libs(model); i++) {
        struct lc_lib lib = lc_model_lib(model, i);
        if (lib.kind != kind)
            continue;
        lc_buf_printf(&wish->needed, "%s.so", lc_name_lib(lib).s);
        lc_buf_putc(&wish->needed, '\0');
        wish->needed_count++;
    }
}

static int shared_finish(const struct lc_unit *unit, struct lc_shared_wish *wish,
                         struct lc_buf *out)
{
    struct lc_buf runpath = {0};

    for (long i = 0; i < unit->model->config.search_dirs; i++)
        lc_buf_printf(&runpath, "$ORIGIN/search/%ld:", i);
    lc_buf_puts(&runpath, "$ORIGIN");
    wish->runpath = lc_buf_text(&runpath);
    int rc = runpath.failed || wish->needed.failed ? -1 : lc_shared_write(unit, wish, out);
    lc_buf_free(&runpath);
    return rc;
}

int lc_emit_elf_lib(const struct lc_model *model, const struct lc_machine *machine,
                    struct lc_lib lib, bool debug, struct lc_buf *out)
{
    struct lc_symbol_name name = lc_name_lib(lib);
    struct lc_shared_wish wish = {.name = name.s};
    struct lc_unit unit;
    int rc = lc_unit_lib(&unit, machine, model, lib, debug ? LC_UNIT_DEBUG : LC_UNIT_SHARED);

    if (lib.kind == LC_LIB_MODULE)
        needed_add_all(model, LC_LIB_UTILITY, &wish);
    if (rc == 0)
        rc = shared_finish(&unit, &wish, out);
    lc_buf_free(&wish.needed);
    lc_unit_free(&unit);
    return rc;
}

int lc_emit_elf_hook(const struct lc_model *model, const struct lc_machine *machine, bool begin,
                     bool debug, struct lc_buf *out)
{
    struct lc_shared_wish wish = {.name = begin ? "libmodulebegin" : "libmodulefinal"};
    struct lc_unit unit;
    int rc =
        lc_unit_hook(&unit, machine, model, wish.name, begin ? "begin_break_here" : "break_here",
                     debug ? LC_UNIT_DEBUG : LC_UNIT_SHARED);

    if (begin)
        needed_add_all(model, LC_LIB_MODULE, &wish);
    if (rc == 0)
        rc = shared_finish(&unit, &wish, out);
    lc_buf_free(&wish.needed);
    lc_unit_free(&unit);
    return rc;
}
