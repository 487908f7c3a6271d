/* SPDX-License-Identifier: MIT */
/* static-code.c - write a small workload's static code as an object, and a C program that runs it
 *
 * usage: static-code ARCH FILE.o >main.c. The program stands in for Python: it defines the two
 * functions modules call, takes each module's method from its definition, and compares results. */
#include <stdio.h>

#include "gen/elf_static.h"
#include "gen/emit_elf.h"
#include "gen/interp.h"

static const char head[] =
    "#include <stdio.h>\n"
    "struct method { const char *name; void *(*call)(void *, void *); int flags; const char *doc; "
    "};\n"
    "struct definition { long a[5]; const char *name, *doc; long size; struct method *methods; };\n"
    "void *PyLong_FromUnsignedLong(unsigned long x) { return (void *)x; }\n"
    "void *PyModuleDef_Init(struct definition *d) { return d; }\n"
    "static int check(struct definition *d, unsigned expected)\n"
    "{\n"
    "    unsigned got = (unsigned)(unsigned long)d->methods[0].call(0, 0);\n"
    "    printf(\"%s.%s: %u\\n\", d->name, d->methods[0].name, got);\n"
    "    return got != expected;\n"
    "}\n";

static void write_main(const struct lc_model *model)
{
    printf("%s", head);
    for (uint32_t i = 0; i < model->modules; i++)
        printf("void *PyInit_libmodule%u(void);\n", i);
    printf("void *PyInit_libmodulebegin(void);\nint main(void)\n{\n"
           "    int wrong = check(PyInit_libmodulebegin(), 0);\n");
    for (uint32_t i = 0; i < model->modules; i++)
        printf("    wrong += check(PyInit_libmodule%u(), %uu);\n", i, lc_interp_entry(model, i));
    printf("    return wrong;\n}\n");
}

int main(int argc, char **argv)
{
    const struct lc_gen_config config = {9, 40, 3, 30, 10, 20, 0, 0, .externs = true, .seed = 11};
    const struct lc_machine *machine = argc == 3 ? lc_machine_find(argv[1]) : NULL;
    struct lc_model model;
    struct lc_static all;
    struct lc_error err;

    if (!machine || lc_model_open(&model, &config) < 0 ||
        lc_static_open(&all, &model, machine) < 0 || lc_static_write(&all, argv[2], &err) < 0)
        return 1;
    write_main(&model);
    lc_static_close(&all);
    lc_model_close(&model);
    return 0;
}
