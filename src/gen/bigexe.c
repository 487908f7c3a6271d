/* SPDX-License-Identifier: MIT */
/* bigexe.c - the code that makes pynamic-bigexe big: see programs/bigexe_code.h */
#include "gen/build.h"

enum { FUNCTION_BYTES = 200000, INSTRUCTION_BYTES = 4 };

struct lc_bigexe lc_build_bigexe_size(const struct lc_build *build)
{
    double bytes = build->options->bigexe_bytes;
    uint32_t functions = (uint32_t)(bytes / FUNCTION_BYTES) + 1;

    return (struct lc_bigexe){build->options->machine, functions,
                              (uint32_t)(bytes / functions / INSTRUCTION_BYTES) + 1};
}

/* The functions are declared only where lc_build_bigexe_elf() writes them. */
int lc_build_bigexe(const struct lc_build *build, struct lc_error *err)
{
    struct lc_bigexe big = lc_build_bigexe_size(build);
    struct lc_buf text = {0};

    lc_buf_printf(&text,
                  "#define BIGEXE_STEPS %u\n#include \"bigexe_code.h\"\n#include \"pympi.h\"\n\n",
                  big.steps);
    for (unsigned i = 0; i < big.functions; i++) {
        lc_buf_printf(&text, "long bigexe_%u(long);\n", i);
        if (!build->options->machine)
            lc_buf_printf(&text, "BIGEXE(%u, %u)\n", i, i % 100 + 1);
    }
    lc_buf_puts(&text, "long (*const bigexe_functions[])(long) = {\n");
    for (unsigned i = 0; i < big.functions; i++)
        lc_buf_printf(&text, "    bigexe_%u,\n", i);
    lc_buf_printf(&text,
                  "};\nconst int bigexe_count = %u;\nconst long bigexe_steps = BIGEXE_STEPS;\n"
                  "const struct static_module static_modules[] = {\n"
                  "    {\"bigexe\", PyInit_bigexe},\n    {0, 0},\n};\n",
                  big.functions);
    int rc = lc_build_write(build, "bigexe_code.c", &text, err);
    lc_buf_free(&text);
    return rc;
}
