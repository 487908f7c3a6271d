/* SPDX-License-Identifier: MIT */
/* bigexe.c - the code that makes pynamic-bigexe big
 *
 * The original compiles C files of endless assignments, for minutes. Here the assembler repeats one
 * real instruction, "add a constant", with .fill: bigexe_N(x) returns x + STEPS * (N % 100 + 1),
 * each function can be called and checked, and 200 MB take a second. Where the instruction is not
 * known, C statements do the same, more slowly. */
#include "gen/build.h"

#include <stdio.h>

enum { FUNCTION_BYTES = 200000, INSTRUCTION_BYTES = 4, C_STATEMENT_BYTES = 8 };

static void add_assembler(struct lc_buf *out, unsigned number, unsigned steps)
{
    unsigned constant = number % 100 + 1;

    lc_buf_printf(out,
                  ".globl bigexe_%u\n.type bigexe_%u, %%function\n.p2align 4\nbigexe_%u:\n"
                  ".cfi_startproc\n",
                  number, number, number);
#if defined(__x86_64__)
    lc_buf_printf(out, "movq %%rdi, %%rax\n.fill %u, 4, 0x%x\nret\n", steps,
                  0x00c08348u | constant << 24); /* 48 83 c0 NN: add $NN, %rax */
#else
    lc_buf_printf(out, ".fill %u, 4, 0x%x\nret\n", steps,
                  0x91000000u | constant << 10); /* add x0, x0, #NN */
#endif
    lc_buf_printf(out, ".cfi_endproc\n.size bigexe_%u, . - bigexe_%u\n", number, number);
}

static void add_c(struct lc_buf *out, unsigned number, unsigned steps)
{
    lc_buf_printf(out, "long bigexe_%u(long x)\n{\n", number);
    for (unsigned i = 0; i < steps; i++)
        lc_buf_printf(out, "    x += %u;\n", number % 100 + 1);
    lc_buf_puts(out, "    return x;\n}\n");
}

static void add_table(struct lc_buf *out, unsigned functions, unsigned steps)
{
    lc_buf_puts(out, "#include \"pympi.h\"\n\n");
    for (unsigned i = 0; i < functions; i++)
        lc_buf_printf(out, "long bigexe_%u(long);\n", i);
    lc_buf_puts(out, "long (*const bigexe_functions[])(long) = {\n");
    for (unsigned i = 0; i < functions; i++)
        lc_buf_printf(out, "    bigexe_%u,\n", i);
    lc_buf_printf(out,
                  "};\nconst int bigexe_count = %u;\nconst long bigexe_steps = %u;\n"
                  "const struct static_module static_modules[] = {\n"
                  "    {\"bigexe\", PyInit_bigexe},\n    {0, 0},\n};\n",
                  functions, steps);
}

int lc_build_bigexe(const struct lc_build *build, struct lc_error *err)
{
#if defined(__x86_64__) || defined(__aarch64__)
    const bool assembler = true;
#else
    const bool assembler = false;
#endif
    double bytes = build->options->bigexe_bytes;
    unsigned functions = (unsigned)(bytes / FUNCTION_BYTES) + 1;
    unsigned steps =
        (unsigned)(bytes / functions / (assembler ? INSTRUCTION_BYTES : C_STATEMENT_BYTES)) + 1;
    struct lc_buf code = {0}, table = {0};

    if (assembler)
        lc_buf_puts(&code, ".section .note.GNU-stack,\"\",%progbits\n.text\n");
    for (unsigned i = 0; i < functions; i++)
        (assembler ? add_assembler : add_c)(&code, i, steps);
    add_table(&table, functions, steps);
    int rc = lc_build_write(build, assembler ? "bigexe_code.s" : "bigexe_code.c", &code, err);
    if (rc == 0)
        rc = lc_build_write(build, "bigexe_table.c", &table, err);
    lc_buf_free(&code);
    lc_buf_free(&table);
    return rc;
}
