/* SPDX-License-Identifier: MIT */
/* build_programs.c - compile and link the programs of all modes */
#include "gen/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/elf_build_id.h"
#include "gen/embedded.h"
#include "gen/emit_c.h"
#include "gen/name.h"

#define BIT(mode) (1u << (mode))

enum {
    LINKED = BIT(LC_MODE_PYNAMIC) | BIT(LC_MODE_BIGEXE),
    PYMPIS = LINKED | BIT(LC_MODE_PYMPI) | BIT(LC_MODE_SDB),
    CLOADTESTS = BIT(LC_MODE_CLOADTEST) | BIT(LC_MODE_CLOADTEST_MPI),
};

/* An object: its source in the work directory, its compiler flags, the modes that need it. */
static const struct object {
    const char *name, *source;
    bool mpi, python;
    unsigned modes;
} objects[] = {
    /* Written by gen itself if it writes ELF files. The first takes longest. */
    {"static_code", NULL, false, false, BIT(LC_MODE_SDB)},
    {"bigexe_text", NULL, false, false, BIT(LC_MODE_BIGEXE)},
    {"pympi", "pympi_all.c", true, true, PYMPIS},
    {"no_modules", "no_modules.c", false, true, BIT(LC_MODE_PYMPI) | BIT(LC_MODE_PYNAMIC)},
    {"static_modules", "static_modules.c", false, true, BIT(LC_MODE_SDB)},
    {"bigexe_module", "bigexe_module.c", false, true, BIT(LC_MODE_BIGEXE)},
    {"bigexe_code", "bigexe_code.c", false, false, BIT(LC_MODE_BIGEXE)},
    {"visits", "visits.c", false, false, CLOADTESTS},
    {"cloadtest", "cloadtest.c", false, false, BIT(LC_MODE_CLOADTEST)},
    {"cloadtest_mpi", "cloadtest.c", true, false, BIT(LC_MODE_CLOADTEST_MPI)},
};

enum { OBJECTS = sizeof(objects) / sizeof(*objects) };

size_t lc_build_objects(const struct lc_build *build)
{
    (void)build;
    return OBJECTS;
}

static void add_all(struct lc_argv *argv, const struct lc_argv *more)
{
    for (size_t i = 0; i < more->count; i++)
        lc_argv_add(argv, more->item[i]);
}

static bool object_is_needed(const struct lc_build *build, const struct object *o)
{
    if (!(o->modes & build->modes))
        return false;
    if (o->source)
        return true;
    return o->modes & BIT(LC_MODE_SDB) ? lc_build_has_static(build)
                                       : build->options->machine != NULL;
}

int lc_build_object(const struct lc_build *build, size_t number, struct lc_error *err)
{
    const struct object *o = &objects[number];
    struct lc_argv argv = {0};

    if (!object_is_needed(build, o))
        return 0;
    if (!o->source)
        return o->modes & BIT(LC_MODE_SDB) ? lc_build_static_elf(build, err)
                                           : lc_build_bigexe_elf(build, err);
    lc_argv_words(&argv, o->mpi ? build->tools->mpicc : build->tools->cc);
    lc_argv_words(&argv, "-O0 -fPIC -w -pipe -c");
    if (o->mpi)
        lc_argv_add(&argv, "-DWITH_MPI");
    if (o->python)
        add_all(&argv, &build->tools->py_compile);
    if (build->tools->include)
        lc_argv_printf(&argv, "-I%s", build->tools->include);
    lc_argv_add(&argv, o->source);
    lc_argv_add(&argv, "-o");
    lc_argv_printf(&argv, "%s.o", o->name);
    int rc = lc_run(&argv, build->work, err);
    lc_argv_free(&argv);
    return rc;
}

size_t lc_build_programs(const struct lc_build *build)
{
    (void)build;
    return LC_MODES;
}

static void libraries_add(const struct lc_build *build, enum lc_mode mode, struct lc_argv *argv)
{
    if (BIT(mode) & LINKED)
        lc_build_add_needed(argv, "python.list");
    else if (BIT(mode) & CLOADTESTS)
        lc_build_add_needed(argv, "all.list");
    else if (mode == LC_MODE_SDB && lc_build_compiles_static(build))
        lc_argv_add(argv, "@objects.list");
    if (lc_mode_needs_python(mode))
        add_all(argv, &build->tools->py_link);
    if (lc_mode_needs_python(mode) && build->tools->py_static)
        lc_argv_words(argv, "-Wl,--export-dynamic-symbol=Py* -Wl,--export-dynamic-symbol=_Py*");
}

/* Does gen write something into the program after linking? */
static bool program_needs_completion(const struct lc_build *build, enum lc_mode mode)
{
    return (mode == LC_MODE_SDB && lc_build_has_static(build)) ||
           (mode == LC_MODE_BIGEXE && build->options->machine);
}

/* Adds linker options. If gen completes the program after linking, the build-id is zero until then.
 */
static void link_add(const struct lc_build *build, enum lc_mode mode, struct lc_argv *argv)
{
    lc_build_add_link(build, argv);
    if (program_needs_completion(build, mode))
        lc_argv_printf(argv, "-Wl,--build-id=0x%0*d", 2 * LC_BUILD_ID_BYTES, 0);
}

static int program_complete(const struct lc_build *build, enum lc_mode mode,
                            const struct lc_argv *link, struct lc_error *err)
{
    if (!program_needs_completion(build, mode))
        return 0;
    return mode == LC_MODE_SDB ? lc_build_static_names(build, err)
                               : lc_build_bigexe_fill(build, link, err);
}

int lc_build_program(const struct lc_build *build, size_t number, struct lc_error *err)
{
    /* The largest first, so that the others are linked at the same time. */
    static const enum lc_mode order[LC_MODES] = {
        LC_MODE_SDB,    LC_MODE_BIGEXE,    LC_MODE_PYMPI,        LC_MODE_PYNAMIC,
        LC_MODE_MPI4PY, LC_MODE_CLOADTEST, LC_MODE_CLOADTEST_MPI};
    enum lc_mode mode = order[number];
    struct lc_argv argv = {0};

    if (!(build->modes & BIT(mode)) || mode == LC_MODE_MPI4PY)
        return 0;
    char *dir = realpath(build->dir, NULL);
    lc_argv_words(&argv, lc_mode_needs_mpi(mode) ? build->tools->mpicc : build->tools->cc);
    for (size_t i = 0; i < OBJECTS; i++)
        if (objects[i].modes & BIT(mode) && object_is_needed(build, &objects[i]))
            lc_argv_printf(&argv, "%s.o", objects[i].name);
    lc_argv_add(&argv, "-o");
    lc_argv_printf(&argv, "%s/%s", dir ? dir : "..", lc_mode_name(mode));
    link_add(build, mode, &argv);
    libraries_add(build, mode, &argv);
    int rc = lc_run(&argv, build->work, err);
    if (rc < 0 && mode == LC_MODE_BIGEXE && program_needs_completion(build, mode))
        rc = lc_build_bigexe_whole(build, &argv, err);
    if (rc == 0)
        rc = program_complete(build, mode, &argv, err);
    lc_argv_free(&argv);
    free(dir);
    return rc;
}

/* Writes the list of objects from which pynamic-sdb-pyMPI is linked. */
static int write_object_list(const struct lc_build *build, struct lc_error *err)
{
    struct lc_buf list = {0};

    for (size_t i = 0; i < lc_model_libs(build->model); i++)
        lc_buf_printf(&list, "%s.o\n", lc_name_lib(lc_model_lib(build->model, i)).s);
    lc_buf_puts(&list, "libmodulebegin.o\nlibmodulefinal.o\n");
    int rc = lc_build_write(build, "objects.list", &list, err);
    lc_buf_free(&list);
    return rc;
}

static int tables_write(const struct lc_build *build, struct lc_error *err)
{
    struct lc_buf none = {0}, all = {0}, visits = {0};

    lc_emit_c_inittab(NULL, &none);
    lc_emit_c_inittab(build->model, &all);
    lc_emit_c_visit_table(build->model, build->expected, &visits);
    int rc = lc_build_write(build, "no_modules.c", &none, err) < 0 ||
                     lc_build_write(build, "static_modules.c", &all, err) < 0 ||
                     lc_build_write(build, "visits.c", &visits, err) < 0
                 ? -1
                 : 0;
    lc_buf_free(&none);
    lc_buf_free(&all);
    lc_buf_free(&visits);
    return rc;
}

int lc_build_sources(const struct lc_build *build, struct lc_error *err)
{
    for (const struct lc_embedded *e = lc_embedded; e->name; e++) {
        struct lc_buf text = {.data = (char *)e->data, .len = e->len};
        const char *dot = strrchr(e->name, '.');
        if (dot && strcmp(dot, ".py") != 0 && lc_build_write(build, e->name, &text, err) < 0)
            return -1;
    }
    if (tables_write(build, err) < 0 || write_object_list(build, err) < 0)
        return -1;
    return build->modes & BIT(LC_MODE_BIGEXE) ? lc_build_bigexe(build, err) : 0;
}

/* Writes a driver: the parameters of this workload, then the MPI adapter, then the common part. */
static int driver_write(const struct lc_build *build, const char *name, const char *adapter,
                        struct lc_error *err)
{
    const char *parts[] = {adapter, "pynamic_phases.py"};
    struct lc_buf text = {0};
    char path[4096];

    lc_buf_printf(&text,
                  "# made by loadcast gen\nMODULES = %u\nPYTHON_DIRS = %ld\nVERSION = \"%s\"\n",
                  build->model->modules, build->model->config.python_dirs, LC_PYNAMIC_VERSION);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        for (const struct lc_embedded *e = lc_embedded; e->name; e++)
            if (strcmp(e->name, parts[i]) == 0)
                lc_buf_add(&text, e->data, e->len);
    snprintf(path, sizeof(path), "%s/%s", build->dir, name);
    int rc = text.failed ? lc_error_errno(err, "cannot write '%s'", path)
                         : lc_output_tree_write(path, text.data, text.len, 0755, err);
    lc_buf_free(&text);
    return rc;
}

int lc_build_drivers(const struct lc_build *build, struct lc_error *err)
{
    if (driver_write(build, "pynamic_driver.py", "mpi_pympi.py", err) < 0)
        return -1;
    return driver_write(build, "pynamic_driver_mpi4py.py", "mpi_mpi4py.py", err);
}
