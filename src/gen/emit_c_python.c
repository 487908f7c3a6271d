/* SPDX-License-Identifier: MIT */
/* emit_c_python.c - Python extension modules, and the tables that name them all, as C source
 *
 * The declarations are Python's stable ABI (PEP 384, unchanged since 3.2; multi-phase
 * initialisation since 3.5), so that one module serves every Python 3 with a GIL. The two functions
 * are weak: cloadtest loads the same modules without Python, also with LD_BIND_NOW. */
#include "gen/emit_c_python.h"

#include <stdio.h>

#include "gen/emit_c.h"
#include "gen/name.h"

static const char declarations[] =
    "struct method {\n"
    "    const char *name;\n"
    "    void *(*call)(void *, void *);\n"
    "    int flags;\n"
    "    const char *doc;\n"
    "};\n"
    "struct definition {\n"
    "    long refcnt;\n"
    "    void *type, *init;\n"
    "    long index;\n"
    "    void *copy;\n"
    "    const char *name, *doc;\n"
    "    long size;\n"
    "    struct method *methods;\n"
    "    void *slots, *traverse, *clear, *release;\n"
    "};\n"
    "void *PyLong_FromUnsignedLong(unsigned long) __attribute__((weak));\n"
    "void *PyModuleDef_Init(struct definition *) __attribute__((weak));\n\n";

enum { METH_NOARGS = 4 };

void lc_emit_c_python(const struct lc_emit_c_method *m, struct lc_buf *out)
{
    lc_buf_puts(out, declarations);
    lc_buf_printf(out,
                  "void *py_%s(void *self, void *args)\n{\n"
                  "    (void)self;\n    (void)args;\n"
                  "    return PyLong_FromUnsignedLong(%s%s);\n}\n\n",
                  m->name, m->call ? m->call : "0", m->call ? "()" : "");
    lc_buf_printf(out,
                  "static struct method methods[] = {{\"%s\", py_%s, %d, 0}, {0, 0, 0, 0}};\n"
                  "static struct definition definition = {.refcnt = 1, .name = \"%s\", "
                  ".methods = methods};\n\n"
                  "void *PyInit_%s(void)\n{\n    return PyModuleDef_Init(&definition);\n}\n",
                  m->name, m->name, METH_NOARGS, m->module, m->module);
}

void lc_emit_c_hook(const char *module, const char *name, struct lc_buf *out)
{
    struct lc_emit_c_method method = {.module = module};

    lc_buf_puts(out, "/* made by loadcast gen */\n");
    snprintf(method.name, sizeof(method.name), "%s", name);
    lc_emit_c_python(&method, out);
}

void lc_emit_c_entry_stubs(const struct lc_model *model, struct lc_buf *out)
{
    for (uint32_t i = 0; i < model->modules; i++)
        lc_buf_printf(out, "unsigned %s(void)\n{\n    return 0;\n}\n", lc_name_visit(i).s);
}

void lc_emit_c_visit_table(const struct lc_model *model, const uint32_t *expected,
                           struct lc_buf *out)
{
    lc_buf_puts(out, "#include \"cloadtest.h\"\n\n");
    for (uint32_t i = 0; i < model->modules; i++)
        lc_buf_printf(out, "unsigned %s(void);\n", lc_name_visit(i).s);
    lc_buf_puts(out, "const struct visit visits[] = {\n");
    for (uint32_t i = 0; i < model->modules; i++)
        lc_buf_printf(out, "    {\"libmodule%u\", %s, %uu},\n", i, lc_name_visit(i).s, expected[i]);
    lc_buf_printf(out, "};\nconst int visit_count = %u;\nconst int library_count = %zu;\n",
                  model->modules, lc_model_libs(model));
}

static void add_init(struct lc_buf *out, const char *module, int is_table)
{
    if (is_table)
        lc_buf_printf(out, "    {\"%s\", PyInit_%s},\n", module, module);
    else
        lc_buf_printf(out, "void *PyInit_%s(void);\n", module);
}

void lc_emit_c_inittab(const struct lc_model *model, struct lc_buf *out)
{
    lc_buf_puts(out, "#include \"pympi.h\"\n\n");
    for (int is_table = 0; is_table < 2; is_table++) {
        if (is_table)
            lc_buf_puts(out, "const struct static_module static_modules[] = {\n");
        for (uint32_t i = 0; model && i < model->modules; i++)
            add_init(out, lc_name_lib((struct lc_lib){LC_LIB_MODULE, i}).s, is_table);
        if (model) {
            add_init(out, "libmodulebegin", is_table);
            add_init(out, "libmodulefinal", is_table);
        }
    }
    lc_buf_puts(out, "    {0, 0},\n};\n");
}
