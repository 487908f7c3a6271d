/* SPDX-License-Identifier: MIT */
/* emit_c.c - one library of the model as C source */
#include "gen/emit_c.h"

#include <stdio.h>

#include "gen/emit_c_python.h"
#include "gen/name.h"

static const char *const c_type[LC_TYPES] = {"int ", "long ", "float ", "double ", "char *"};

/* A real as a C literal: eighths print exactly with three decimals. */
static void add_real(struct lc_buf *out, lc_literal eighths, const char *suffix)
{
    lc_buf_printf(out, "%u.%03u%s", eighths / 8, eighths % 8 * 125, suffix);
}

static void literal_add(struct lc_buf *out, enum lc_type type, lc_literal literal)
{
    if (type == LC_STRING)
        lc_buf_printf(out, "(char *)text + %u", literal);
    else if (type == LC_FLOAT || type == LC_DOUBLE)
        add_real(out, literal, type == LC_FLOAT ? "f" : "");
    else
        lc_buf_printf(out, "%u", literal);
}

/* "int libmodule0_fun3(long a0, float a1)" */
static void heading_add(struct lc_buf *out, const struct lc_signature *sig, const char *name)
{
    lc_buf_printf(out, "%s%s(", c_type[sig->result], name);
    for (unsigned i = 0; i < sig->args; i++)
        lc_buf_printf(out, "%s%sa%u", i ? ", " : "", c_type[sig->arg[i]], i);
    lc_buf_puts(out, sig->args ? ")" : "void)");
}

/* The C text that converts a value of this type to the 32 bits that are added to h. */
static const char *value_of(enum lc_type type)
{
    static const char *const value[LC_TYPES] = {"", "(int)", "(int)", "(int)",
                                                "*(unsigned char *)"};

    return value[type];
}

/* "(int)libmodule0_fun4(7, 1.5f);" */
static void call_add(struct lc_buf *out, const struct lc_model *model,
                     const struct lc_model_call *call)
{
    lc_buf_printf(out, "%s%s(", value_of(call->signature.result), lc_name_target(model, call).s);
    for (unsigned i = 0; i < call->signature.args; i++) {
        lc_buf_puts(out, i ? ", " : "");
        literal_add(out, call->signature.arg[i], call->arg[i]);
    }
    lc_buf_puts(out, ");\n");
}

/* A result in a variable named after the function called, as in the original Pynamic, where such
 * names are half of the debug information. */
static void result_add(struct lc_buf *out, const struct lc_model *model,
                       const struct lc_model_call *call, const char *indent)
{
    struct lc_symbol_name name = lc_name_target(model, call);

    lc_buf_printf(out, "%sunsigned %s" LC_RESULT_SUFFIX " = ", indent, name.s);
    call_add(out, model, call);
    lc_buf_printf(out, "%sh += %s" LC_RESULT_SUFFIX ";\n", indent, name.s);
}

static void return_add(struct lc_buf *out, enum lc_type type)
{
    if (type == LC_FLOAT)
        lc_buf_printf(out, "    return f + (int)(h & %d);\n", LC_FLOAT_MASK);
    else if (type == LC_DOUBLE)
        lc_buf_printf(out, "    return d + (int)(h & %d);\n", LC_DOUBLE_MASK);
    else if (type == LC_STRING)
        lc_buf_printf(out, "    return (char *)text + (h & %d);\n", LC_TEXT_LEN - 1);
    else
        lc_buf_puts(out, "    return h;\n");
}

/* As many variables and as large arrays as functions of the original Pynamic have. */
static void locals_add(struct lc_buf *out, const struct lc_function *f)
{
    lc_buf_printf(out, "    unsigned h = %u;\n    int i, j, k;\n    float f = ", f->start);
    add_real(out, f->real[0], "f, g;\n    double d = ");
    add_real(out, f->real[1], ", e;\n");
    lc_buf_puts(out, "    char b0[40], b1[40], b2[40], b3[40];\n    short s0[20], s1[20];\n\n");
}

static void loop_add(struct lc_buf *out, const struct lc_model *model,
                     const struct lc_model_call *call)
{
    lc_buf_printf(out, "    for (i = 0; i < %d; i++) {\n", LC_LOOPS);
    if (call->target)
        result_add(out, model, call, "        ");
    else
        lc_buf_puts(out, "        h += i;\n");
    lc_buf_puts(out, "    }\n");
}

static void body_add(struct lc_buf *out, const struct lc_model *model, const struct lc_function *f,
                     const char *name)
{
    locals_add(out, f);
    if (model->config.prints)
        lc_buf_printf(out, "    puts(\"%s\");\n", name);
    for (unsigned i = 0; i < f->signature.args; i++)
        lc_buf_printf(out, "    h %s %sa%u;\n", i % 2 ? "^=" : "+=", value_of(f->signature.arg[i]),
                      i);
    loop_add(out, model, &f->loop);
    if (f->next.target)
        result_add(out, model, &f->next, "    ");
    return_add(out, f->signature.result);
}

static void function_add(struct lc_buf *out, const struct lc_model *model, struct lc_lib lib,
                         uint32_t number)
{
    struct lc_symbol_name name = lc_name_function(model, lib, number);
    struct lc_function f;

    lc_model_function(model, lib, number, &f);
    heading_add(out, &f.signature, name.s);
    lc_buf_puts(out, "\n{\n");
    body_add(out, model, &f, name.s);
    lc_buf_puts(out, "}\n\n");
}

static void declaration_add(struct lc_buf *out, const struct lc_model *model,
                            const struct lc_model_call *call)
{
    if (call->target == LC_CALL_EXTERN)
        lc_buf_printf(out, "unsigned %s(int a0);\n", lc_name_extern(call->lib.index).s);
    else if (call->target) {
        heading_add(out, &call->signature, lc_name_target(model, call).s);
        lc_buf_puts(out, ";\n");
    }
}

/* Declares every function that is called before it is defined; some are declared twice, which C
 * allows. */
static void declarations_add(struct lc_buf *out, const struct lc_model *model, struct lc_lib lib)
{
    uint32_t n = lc_model_functions(model, lib);
    size_t entries = lib.kind == LC_LIB_MODULE ? lc_model_entry_calls(model, lib.index) : 0;
    struct lc_function f;
    struct lc_model_call call;

    for (uint32_t i = 0; i < n; i++) {
        lc_model_function(model, lib, i, &f);
        declaration_add(out, model, &f.loop);
        declaration_add(out, model, &f.next);
    }
    for (size_t i = 0; i < entries; i++) {
        lc_model_entry_call(model, lib.index, i, &call);
        declaration_add(out, model, &call);
    }
    if (model->config.prints)
        lc_buf_puts(out, "int puts(const char *);\n");
    lc_buf_puts(out, "\n");
}

/* The end of a module: the entry for C, the extern function for the next module, and the Python
 * part.
 */
static void add_module_end(struct lc_buf *out, const struct lc_model *model, uint32_t module)
{
    struct lc_symbol_name lib = lc_name_lib((struct lc_lib){LC_LIB_MODULE, module});
    size_t entries = lc_model_entry_calls(model, module);
    struct lc_model_call call;

    if (model->config.externs)
        lc_buf_printf(out, "unsigned %s(int a0)\n{\n    return %uu * 31 + a0;\n}\n\n",
                      lc_name_extern(module).s, lc_model_extern_start(model, module));
    lc_buf_printf(out, "unsigned %s(void)\n{\n    unsigned h = %u;\n\n", lc_name_visit(module).s,
                  lc_model_entry_start(model, module));
    for (size_t i = 0; i < entries; i++) {
        lc_model_entry_call(model, module, i, &call);
        lc_buf_puts(out, "    h = h * 31 + ");
        call_add(out, model, &call);
    }
    lc_buf_puts(out, "    return h;\n}\n\n");
    struct lc_symbol_name visit = lc_name_visit(module);
    struct lc_emit_c_method method = {.module = lib.s, .call = visit.s};
    snprintf(method.name, sizeof(method.name), "libmodule%u_entry", module);
    lc_emit_c_python(&method, out);
}

void lc_emit_c_lib(const struct lc_model *model, struct lc_lib lib, struct lc_buf *out)
{
    uint32_t n = lc_model_functions(model, lib);

    lc_buf_printf(out, "/* made by loadcast gen */\nstatic const char text[] =\n    \"%s\";\n\n",
                  lc_text());
    declarations_add(out, model, lib);
    for (uint32_t i = 0; i < n; i++)
        function_add(out, model, lib, i);
    if (lib.kind == LC_LIB_MODULE)
        add_module_end(out, model, lib.index);
}
