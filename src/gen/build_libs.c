/* SPDX-License-Identifier: MIT */
/* build_libs.c - compile and link the model's libraries
 *
 * A module names all utilities in DT_NEEDED. Linking it against the real ones would make the linker
 * read hundreds of thousands of symbols per module, so it is linked against stubs: empty libraries
 * with the right sonames. The symbols stay undefined, as they are anyway in a shared object, and
 * the result is the same. */
#include "gen/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/emit_c.h"
#include "gen/name.h"

/* A soname as long as any library's; in copies of the stub it is overwritten with the library's
 * name. */
static const char placeholder[] = "libloadcast-stub-of-a-generated-library.so";

int lc_build_write(const struct lc_build *build, const char *name, const struct lc_buf *text,
                   struct lc_error *err)
{
    char path[4096];

    if (text->failed)
        return lc_error_set(err, "cannot make '%s': out of memory", name);
    snprintf(path, sizeof(path), "%s/%s", build->work, name);
    return lc_output_tree_write(path, lc_buf_text(text), text->len, 0666, err);
}

/* No -O, as in the original Pynamic; no stack protector, so that there are no calls but the
 * model's. */
void lc_build_add_compile(const struct lc_build *build, struct lc_argv *argv)
{
    static const char usual[] = "-O0 -fPIC -fno-stack-protector -fno-lto -w -pipe "
                                "-fasynchronous-unwind-tables -c";

    lc_argv_words(argv, build->tools->cc);
    lc_argv_words(argv, usual);
    if (build->options->debug_info) {
        char *here = realpath(build->work, NULL);
        lc_argv_words(argv, "-g -gno-record-gcc-switches");
        lc_argv_printf(argv, "-ffile-prefix-map=%s=.", here ? here : build->work);
        free(here);
    }
    if (build->tools->include)
        lc_argv_printf(argv, "-I%s", build->tools->include);
}

/* Sets every linker option whose default differs between distributions. */
void lc_build_add_link(const struct lc_build *build, struct lc_argv *argv)
{
    struct lc_buf path = {0};

    for (long i = 0; i < build->model->config.search_dirs; i++)
        lc_buf_printf(&path, "$ORIGIN/search/%ld:", i);
    lc_argv_printf(argv, "-Wl,-rpath,%s$ORIGIN", lc_buf_text(&path));
    lc_argv_words(argv, "-Wl,--enable-new-dtags -Wl,-z,lazy -Wl,--hash-style=both "
                        "-Wl,--build-id=sha1");
    lc_buf_free(&path);
}

void lc_build_add_needed(struct lc_argv *argv, const char *list)
{
    lc_argv_add(argv, "-Wl,--push-state,--no-as-needed");
    lc_argv_printf(argv, "@%s", list);
    lc_argv_add(argv, "-Wl,--pop-state");
}

/* A shared library from sources in the work directory; NULL soname: without one, as in the
 * original Pynamic. */
static int shared_link(const struct lc_build *build, const char *source, const char *soname,
                       const char *out, struct lc_error *err)
{
    struct lc_argv argv = {0};

    lc_argv_words(&argv, build->tools->cc);
    lc_argv_words(&argv, "-shared -nostdlib -fPIC -w -Wl,--build-id=none");
    lc_argv_printf(&argv, "-Wl,-soname,%s", soname);
    lc_argv_add(&argv, source);
    lc_argv_add(&argv, "-o");
    lc_argv_add(&argv, out);
    int rc = lc_run(&argv, build->work, err);
    lc_argv_free(&argv);
    return rc;
}

static int file_read(const char *path, struct lc_buf *out)
{
    char part[65536];
    FILE *in = fopen(path, "re");
    size_t n;

    if (!in)
        return -1;
    while ((n = fread(part, 1, sizeof(part), in)) > 0)
        lc_buf_add(out, part, n);
    fclose(in);
    return out->failed || !out->data ? -1 : 0;
}

/* Writes a copy of the first stub under the name of a library, with its soname. */
static int stub_write(const struct lc_build *build, struct lc_buf *stub, const char *lib,
                      struct lc_error *err)
{
    size_t room = sizeof(placeholder) - 1;
    char path[64], soname[64] = "";
    char *at = memmem(stub->data, stub->len, placeholder, room);

    snprintf(path, sizeof(path), "stubs/%.40s.so", lib);
    snprintf(soname, sizeof(soname), "%.40s.so", lib);
    if (!at)
        return lc_error_set(err, "cannot make stubs: the linker dropped the soname");
    memcpy(at, soname, room);
    int rc = lc_build_write(build, path, stub, err);
    memcpy(at, placeholder, room);
    return rc;
}

static int stubs_copy(const struct lc_build *build, struct lc_error *err)
{
    struct lc_buf stub = {0};
    char path[4096];
    int rc = 0;

    snprintf(path, sizeof(path), "%s/stub.so", build->work);
    if (file_read(path, &stub) < 0)
        rc = lc_error_errno(err, "cannot read '%s'", path);
    for (size_t i = 0; rc == 0 && i < lc_model_libs(build->model); i++)
        rc = stub_write(build, &stub, lc_name_lib(lc_model_lib(build->model, i)).s, err);
    if (rc == 0)
        rc = stub_write(build, &stub, "libmodulebegin", err);
    if (rc == 0)
        rc = stub_write(build, &stub, "libmodulefinal", err);
    lc_buf_free(&stub);
    return rc;
}

/* Writes the list files for the linker, one stub per line. */
static int lists_write(const struct lc_build *build, struct lc_error *err)
{
    struct lc_buf utilities = {0}, modules = {0}, all = {0}, python = {0};

    for (size_t i = 0; i < lc_model_libs(build->model); i++) {
        struct lc_lib lib = lc_model_lib(build->model, i);
        struct lc_symbol_name name = lc_name_lib(lib);
        lc_buf_printf(lib.kind == LC_LIB_UTILITY ? &utilities : &modules, "stubs/%s.so\n", name.s);
    }
    lc_buf_printf(&all, "%s%s", lc_buf_text(&modules), lc_buf_text(&utilities));
    lc_buf_printf(&python, "stubs/libmodulebegin.so\n%sstubs/libmodulefinal.so\n",
                  lc_buf_text(&all));
    int rc = lc_build_write(build, "utilities.list", &utilities, err) < 0 ||
                     lc_build_write(build, "modules.list", &modules, err) < 0 ||
                     lc_build_write(build, "all.list", &all, err) < 0 ||
                     lc_build_write(build, "python.list", &python, err) < 0
                 ? -1
                 : 0;
    lc_buf_free(&utilities);
    lc_buf_free(&modules);
    lc_buf_free(&all);
    lc_buf_free(&python);
    return rc;
}

/* Only the stub of the first module defines symbols: the entries of all modules, for linking
 * cloadtest. */
int lc_build_stubs(const struct lc_build *build, struct lc_error *err)
{
    struct lc_buf empty = {0}, entries = {0};
    char path[4096];
    int rc = -1;

    snprintf(path, sizeof(path), "%s/stubs", build->work);
    if (mkdir(path, 0777) < 0) {
        lc_error_errno(err, "cannot make '%s'", path);
        return -1;
    }
    lc_emit_c_entry_stubs(build->model, &entries);
    if (lc_build_write(build, "stub.c", &empty, err) == 0 &&
        lc_build_write(build, "entries.c", &entries, err) == 0 &&
        shared_link(build, "stub.c", placeholder, "stub.so", err) == 0 &&
        stubs_copy(build, err) == 0)
        rc = shared_link(build, "entries.c", "libmodule0.so", "stubs/libmodule0.so", err);
    lc_buf_free(&entries);
    return rc < 0 ? -1 : lists_write(build, err);
}

static int lib_compile(const struct lc_build *build, const char *name, struct lc_error *err)
{
    struct lc_argv argv = {0};

    lc_build_add_compile(build, &argv);
    lc_argv_printf(&argv, "%s.c", name);
    lc_argv_add(&argv, "-o");
    lc_argv_printf(&argv, "%s.o", name);
    int rc = lc_run(&argv, build->work, err);
    lc_argv_free(&argv);
    return rc;
}

static int lib_link(const struct lc_build *build, const char *name, const char *needed,
                    struct lc_error *err)
{
    struct lc_argv argv = {0};
    char *dir = realpath(build->dir, NULL);

    lc_argv_words(&argv, build->tools->cc);
    /* Always add libc to DT_NEEDED, with versioned symbols; defaults differ between distributions.
     */
    lc_argv_words(&argv, "-shared -Wl,--no-as-needed");
    lc_build_add_link(build, &argv);
    lc_argv_printf(&argv, "%s.o", name);
    lc_argv_add(&argv, "-o");
    lc_argv_printf(&argv, "%s/%s.so", dir ? dir : "..", name);
    if (needed)
        lc_build_add_needed(&argv, needed);
    int rc = lc_run(&argv, build->work, err);
    lc_argv_free(&argv);
    free(dir);
    return rc;
}

/* Removes the source and the object of a library, unless they are to be kept or are linked again.
 */
static void lib_remove_temporary(const struct lc_build *build, const char *name)
{
    char path[4096];

    if (build->options->keep_sources)
        return;
    snprintf(path, sizeof(path), "%s/%s.c", build->work, name);
    unlink(path);
    snprintf(path, sizeof(path), "%s/%s.o", build->work, name);
    if (!lc_build_compiles_static(build))
        unlink(path);
}

size_t lc_build_libs(const struct lc_build *build)
{
    return lc_model_libs(build->model) + 2;
}

bool lc_build_has_programs(const struct lc_build *build)
{
    return build->modes & ~(1u << LC_MODE_MPI4PY);
}

const char *lc_build_lib_name(const struct lc_build *build, size_t number,
                              struct lc_symbol_name *room)
{
    size_t libs = lc_model_libs(build->model);

    if (number >= libs)
        return number == libs ? "libmodulebegin" : "libmodulefinal";
    *room = lc_name_lib(lc_model_lib(build->model, number));
    return room->s;
}

static int source_write(const struct lc_build *build, size_t number, const char *name,
                        struct lc_error *err)
{
    size_t libs = lc_model_libs(build->model);
    struct lc_buf source = {0};
    char file[80];

    if (number < libs)
        lc_emit_c_lib(build->model, lc_model_lib(build->model, number), &source);
    else
        lc_emit_c_hook(name, number == libs ? "begin_break_here" : "break_here", &source);
    snprintf(file, sizeof(file), "%.64s.c", name);
    int rc = lc_build_write(build, file, &source, err);
    lc_buf_free(&source);
    return rc;
}

static const char *needed_list(const struct lc_build *build, size_t number)
{
    size_t libs = lc_model_libs(build->model);

    if (number < build->model->modules && build->model->config.utilities)
        return "utilities.list";
    return number == libs ? "modules.list" : NULL;
}

int lc_build_lib(const struct lc_build *build, size_t number, struct lc_error *err)
{
    struct lc_symbol_name room;
    const char *name = lc_build_lib_name(build, number, &room);
    bool elf = build->options->machine != NULL;
    bool compiled = !elf || lc_build_compiles_static(build);

    if (elf && lc_build_lib_elf(build, number, err) < 0)
        return -1;
    if (!compiled && !build->options->keep_sources)
        return 0;
    if (source_write(build, number, name, err) < 0 ||
        (compiled && lib_compile(build, name, err) < 0) ||
        (!elf && lib_link(build, name, needed_list(build, number), err) < 0))
        return -1;
    lib_remove_temporary(build, name);
    return 0;
}
