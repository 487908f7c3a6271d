/* SPDX-License-Identifier: MIT */
/* elf_x86_64.c - x86-64 instructions for the ELF emitter
 *
 * The code is like that of gcc -O0, a little shorter: every variable is on the stack, every call
 * goes to a symbol. */
#include <elf.h>
#include <string.h>

#include "gen/elf_x86_64.h"

enum { AX, CX, DX, BX, SP, BP, SI, DI, R8 };
/* Offsets from rbp in the stack frame of a function. Arguments come after the arrays, as in gcc's
 * code; the stack stays aligned to 16 bytes. */
enum {
    AT_H = -4,
    AT_I = -8,
    AT_F = -12,
    AT_D = -24,
    AT_LOOP = -28, /* results of calls */
    AT_NEXT = -32,
    AT_ARRAYS = -32 - 6 * LC_ARRAY_BYTES,
    AT_ARGS = AT_ARRAYS - 8, /* and downwards, 8 bytes each */
    FRAME = 320,
};

/* The frame of a module's visit function: rbx and h. */
enum { AT_VISIT_H = -20, VISIT_FRAME = 24 };

#define PUT(unit, bytes) lc_unit_put(unit, bytes, sizeof(bytes) - 1)

static void put32(struct lc_unit *u, uint32_t value)
{
    lc_unit_put(u, &value, sizeof(value));
}

static void put8(struct lc_unit *u, int value)
{
    char byte = (char)value;

    lc_unit_put(u, &byte, 1);
}

/* ModRM and displacement of disp(%rbp). */
static void slot_put(struct lc_unit *u, int reg, int disp)
{
    bool is_near = disp >= -128 && disp < 128;

    put8(u, (is_near ? 0x45 : 0x85) | (reg & 7) << 3);
    if (is_near)
        put8(u, disp);
    else
        put32(u, (uint32_t)disp);
}

/* ModRM and displacement of something outside text, relative to the next instruction. */
static void outside_put(struct lc_unit *u, int reg, enum lc_ref_kind kind, uint32_t target)
{
    put8(u, 0x05 | (reg & 7) << 3);
    lc_unit_ref(u, kind, u->text.len, target);
    put32(u, 0);
}

static void put_call(struct lc_unit *u, uint32_t symbol)
{
    put8(u, 0xe8);
    lc_unit_ref(u, LC_REF_CALL, u->text.len, symbol);
    put32(u, 0);
}

/* ---- reals ---- */

static int prefix_of(enum lc_type type)
{
    return type == LC_FLOAT ? 0xf3 : 0xf2;
}

static bool is_real(enum lc_type type)
{
    return type == LC_FLOAT || type == LC_DOUBLE;
}

/* movss or movsd constant(%rip), %xmm */
static void constant_load(struct lc_unit *u, enum lc_type type, int xmm, uint32_t at)
{
    put8(u, prefix_of(type));
    PUT(u, "\x0f\x10");
    outside_put(u, xmm, LC_REF_RODATA, at);
}

/* movss or movsd between %xmm and a slot; opcode 0x10 loads, 0x11 stores */
static void move_real(struct lc_unit *u, enum lc_type type, int opcode, int xmm, int slot)
{
    put8(u, prefix_of(type));
    put8(u, 0x0f);
    put8(u, opcode);
    slot_put(u, xmm, slot);
}

/* ---- arguments and results ---- */

static const int integer_register[LC_MOST_ARGS] = {DI, SI, DX, CX, R8};

static void argument_store(struct lc_unit *u, enum lc_type type, int number, int slot)
{
    if (is_real(type)) {
        move_real(u, type, 0x11, number, slot);
        return;
    }
    int reg = integer_register[number], wide = type != LC_INT, high = reg >= R8;
    if (wide || high)
        put8(u, 0x40 | wide << 3 | high << 2);
    put8(u, 0x89);
    slot_put(u, reg, slot);
}

static void arguments_store(struct lc_unit *u, const struct lc_signature *sig)
{
    int integers = 0, reals = 0;

    for (unsigned i = 0; i < sig->args; i++)
        argument_store(u, sig->arg[i], is_real(sig->arg[i]) ? reals++ : integers++,
                       AT_ARGS - 8 * (int)i);
}

static void argument_load(struct lc_unit *u, enum lc_type type, int number, lc_literal literal)
{
    int reg = integer_register[number], high = reg >= R8;

    if (type == LC_STRING) {
        put8(u, 0x48 | high << 2);
        put8(u, 0x8d); /* lea text(%rip), reg */
        outside_put(u, reg, LC_REF_RODATA, literal);
        return;
    }
    if (high)
        put8(u, 0x41);
    put8(u, 0xb8 | (reg & 7)); /* mov $literal, reg */
    put32(u, literal);
}

static void call_put(struct lc_unit *u, const struct lc_model_call *c)
{
    int integers = 0, reals = 0;

    for (unsigned i = 0; i < c->signature.args; i++) {
        enum lc_type type = c->signature.arg[i];
        if (is_real(type))
            constant_load(u, type, reals++, lc_unit_real(u, type, c->arg[i]));
        else
            argument_load(u, type, integers++, c->arg[i]);
    }
    put_call(u, lc_unit_target(u, c));
}

/* Converts the result of a call to 32 bits in eax. */
static void result_to_eax(struct lc_unit *u, enum lc_type type)
{
    if (is_real(type)) {
        put8(u, prefix_of(type));
        PUT(u, "\x0f\x2c\xc0"); /* cvttss2si %xmm0, %eax */
    } else if (type == LC_STRING) {
        PUT(u, "\x0f\xb6\x00\x0f\xb6\xc0"); /* movzbl (%rax), %eax; movzbl %al, %eax */
    }
}

/* eax = value(argument) */
static void argument_take(struct lc_unit *u, enum lc_type type, int slot)
{
    if (is_real(type)) {
        move_real(u, type, 0x10, 0, slot);
    } else {
        if (type != LC_INT)
            put8(u, 0x48);
        put8(u, 0x8b); /* mov slot, %eax */
        slot_put(u, AX, slot);
    }
    result_to_eax(u, type);
}

/* ---- functions ---- */

static void slot_set(struct lc_unit *u, int slot, uint32_t value)
{
    put8(u, 0xc7); /* movl $value, slot */
    slot_put(u, 0, slot);
    put32(u, value);
}

static void locals_store(struct lc_unit *u, const struct lc_function *f)
{
    static const enum lc_type type[LC_STORES] = {LC_FLOAT, LC_DOUBLE};
    static const int slot[LC_STORES] = {AT_F, AT_D};

    for (int i = 0; i < LC_STORES; i++) {
        lc_unit_line(u, i ? 1 : 2, LC_COLUMN_BODY);
        constant_load(u, type[i], 0, lc_unit_stored(u, i, f->real[i]));
        move_real(u, type[i], 0x11, 0, slot[i]);
    }
}

/* eax = the call's result as 32 bits; stores it in a variable and adds it to h */
static void result_add(struct lc_unit *u, const struct lc_model_call *c, int slot,
                       enum lc_column column)
{
    call_put(u, c);
    result_to_eax(u, c->signature.result);
    put8(u, 0x89); /* mov %eax, slot */
    slot_put(u, AX, slot);
    lc_unit_line(u, 1, column);
    put8(u, 0x01); /* add %eax, h */
    slot_put(u, AX, AT_H);
}

static void loop_add(struct lc_unit *u, const struct lc_model_call *c)
{
    lc_unit_line(u, 1, LC_COLUMN_FIRST);
    slot_set(u, AT_I, 0);
    PUT(u, "\xeb\x00"); /* jmp to the condition */
    size_t body = u->text.len;
    u->loop_start = (uint32_t)body;
    lc_unit_line(u, 1, LC_COLUMN_LOOP);
    if (c->target) {
        result_add(u, c, AT_LOOP, LC_COLUMN_LOOP);
    } else {
        PUT(u, "\x8b\x45\xf8\x01\x45\xfc"); /* mov i, %eax; add %eax, h */
    }
    u->loop_end = (uint32_t)u->text.len;
    lc_unit_line(u, c->target ? -2 : -1, LC_COLUMN_STEP);
    PUT(u, "\x83\x45\xf8\x01"); /* addl $1, i */
    if (u->text.failed)
        return;
    u->text.data[body - 1] = (char)(u->text.len - body); /* never above 72 bytes */
    lc_unit_line(u, 0, LC_COLUMN_TEST);
    PUT(u, "\x83\x7d\xf8\x09\x7e"); /* cmpl $9, i; jle body */
    put8(u, (int)(body - u->text.len - 1));
    u->line += c->target ? 3 : 2; /* the closing brace */
}

static void return_put(struct lc_unit *u, const struct lc_function *f)
{
    enum lc_type type = f->signature.result;

    lc_unit_line(u, 1, LC_COLUMN_BODY);
    PUT(u, "\x8b\x45\xfc"); /* mov h, %eax */
    if (type == LC_STRING) {
        PUT(u, "\x83\xe0\x3f\x48\x8d"); /* and $63, %eax; lea text(%rip), %rdx; add %rdx, %rax */
        outside_put(u, DX, LC_REF_RODATA, 0);
        PUT(u, "\x48\x01\xd0");
    } else if (is_real(type)) {
        put8(u, 0x25); /* and $mask, %eax */
        put32(u, type == LC_FLOAT ? LC_FLOAT_MASK : LC_DOUBLE_MASK);
        move_real(u, type, 0x10, 1, type == LC_FLOAT ? AT_F : AT_D);
        PUT(u, "\x66\x0f\xef\xc0"); /* pxor %xmm0, %xmm0; cvtsi2ss %eax, %xmm0 */
        put8(u, prefix_of(type));
        PUT(u, "\x0f\x2a\xc0");
        put8(u, prefix_of(type));
        PUT(u, "\x0f\x58\xc1"); /* addss %xmm1, %xmm0 */
    }
    lc_unit_line(u, 1, LC_COLUMN_EDGE);
    PUT(u, "\xc9\xc3"); /* leave; ret */
}

static void function_add(struct lc_unit *u, const struct lc_function *f, uint32_t printed)
{
    PUT(u, "\x55\x48\x89\xe5\x48\x81\xec"); /* push rbp; mov rsp,rbp; sub $FRAME,rsp */
    put32(u, FRAME);
    arguments_store(u, &f->signature);
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    slot_set(u, AT_H, f->start);
    locals_store(u, f);
    u->line += 3; /* arrays, and an empty line */
    if (printed != LC_NONE) {
        lc_unit_line(u, 1, LC_COLUMN_BODY);
        PUT(u, "\x48\x8d"); /* lea name(%rip), %rdi */
        outside_put(u, DI, LC_REF_RODATA, printed);
        put_call(u, u->puts);
    }
    for (unsigned i = 0; i < f->signature.args; i++) {
        lc_unit_line(u, 1, LC_COLUMN_BODY);
        argument_take(u, f->signature.arg[i], AT_ARGS - 8 * (int)i);
        put8(u, i % 2 ? 0x31 : 0x01); /* xor or add %eax, h */
        slot_put(u, AX, AT_H);
    }
    loop_add(u, &f->loop);
    if (f->next.target) {
        lc_unit_line(u, 1, LC_COLUMN_BODY);
        result_add(u, &f->next, AT_NEXT, LC_COLUMN_BODY);
    }
    return_put(u, f);
}

static void add_outer(struct lc_unit *u, uint32_t start)
{
    PUT(u, "\x55\x48\x89\xe5\x89\x7d\xfc"); /* mov %edi, -4(%rbp) and back; add */
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    PUT(u, "\x8b\x45\xfc\x05");
    put32(u, start * 31);
    lc_unit_line(u, 1, LC_COLUMN_EDGE);
    PUT(u, "\x5d\xc3");
}

/* h = 31 h + the call's result, through ebx */
static void visit_call_add(struct lc_unit *u, const struct lc_model_call *c)
{
    /* mov h, %edx; mov %edx, %eax; shl $5, %eax; sub %edx, %eax; mov %eax, %ebx */
    PUT(u, "\x8b\x55\xec\x89\xd0\xc1\xe0\x05\x29\xd0\x89\xc3");
    call_put(u, c);
    result_to_eax(u, c->signature.result);
    PUT(u, "\x01\xd8\x89\x45\xec"); /* add %ebx, %eax; mov %eax, h */
}

/* rbx at -8, h at -20 */
static void visit_add(struct lc_unit *u)
{
    size_t calls = lc_model_entry_calls(u->model, u->lib.index);
    struct lc_model_call c;

    PUT(u, "\x55\x48\x89\xe5\x53\x48\x83\xec"); /* push rbp; mov rsp,rbp; push rbx; sub */
    put8(u, VISIT_FRAME);
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    slot_set(u, AT_VISIT_H, lc_model_entry_start(u->model, u->lib.index));
    for (size_t i = 0; i < calls; i++) {
        lc_model_entry_call(u->model, u->lib.index, i, &c);
        lc_unit_line(u, i ? 1 : 2, LC_COLUMN_BODY);
        visit_call_add(u, &c);
    }
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    PUT(u, "\x8b\x45\xec");
    lc_unit_line(u, 1, LC_COLUMN_EDGE);
    PUT(u, "\x48\x8b\x5d\xf8\xc9\xc3"); /* mov -8(%rbp), %rbx; leave; ret */
}

static void entry_add(struct lc_unit *u, uint32_t visit)
{
    /* push rbp; mov rsp,rbp; sub $16,rsp; mov rdi,-8(rbp); mov rsi,-16(rbp) */
    PUT(u, "\x55\x48\x89\xe5\x48\x83\xec\x10\x48\x89\x7d\xf8\x48\x89\x75\xf0");
    lc_unit_line(u, 3, LC_COLUMN_BODY);
    if (visit == LC_NONE) {
        PUT(u, "\xbf\x00\x00\x00\x00"); /* mov $0, %edi */
    } else {
        put_call(u, visit);
        PUT(u, "\x89\xc0\x48\x89\xc7"); /* mov %eax, %eax; mov %rax, %rdi */
    }
    put_call(u, u->py_long);
    lc_unit_line(u, 1, LC_COLUMN_EDGE);
    PUT(u, "\xc9\xc3");
}

static void add_init(struct lc_unit *u)
{
    PUT(u, "\x55\x48\x89\xe5");
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    PUT(u, "\x48\x8d"); /* lea definition(%rip), %rax; mov %rax, %rdi */
    outside_put(u, AX, LC_REF_DATA, u->definition);
    PUT(u, "\x48\x89\xc7");
    put_call(u, u->py_init);
    lc_unit_line(u, 1, LC_COLUMN_EDGE);
    PUT(u, "\x5d\xc3");
}

/* The start functions: _init calls __gmon_start__ if that is defined, and the destructor calls
 * __cxa_finalize once. */
static void add_start(struct lc_unit *u)
{
    static const char init[] = "\x48\x83\xec\x08\x48\x8b\x05\0\0\0\0\x48\x85\xc0\x74\x02\xff\xd0"
                               "\x48\x83\xc4\x08\xc3";
    static const char fini[] = "\x48\x83\xec\x08\x48\x83\xc4\x08\xc3";

    lc_buf_add(&u->init, init, sizeof(init) - 1);
    lc_buf_add(&u->fini, fini, sizeof(fini) - 1);
    lc_unit_ref(u, LC_REF_GOT, 7, LC_START_GMON);
    u->init_refs = u->refs;
    u->dtors = (uint32_t)u->text.len;
    PUT(u, "\x80"); /* cmpb $0, completed(%rip): the displacement counts from behind the $0 */
    outside_put(u, 7, LC_REF_BSS, UINT32_MAX);
    PUT(u, "\x00\x75\x21\x55\x48\x89\xe5\x48\x8b"); /* jne out; mov __cxa_finalize, %rax */
    outside_put(u, AX, LC_REF_GOT, LC_START_FINALIZE);
    PUT(u, "\x48\x85\xc0\x74\x09\x48\x8b"); /* test; je; mov __dso_handle(%rip), %rdi; call */
    outside_put(u, DI, LC_REF_DATA, 0);
    PUT(u, "\xff\xd0\xc6"); /* movb $1, completed(%rip) */
    outside_put(u, 0, LC_REF_BSS, UINT32_MAX);
    PUT(u, "\x01\x5d\xc3"); /* pop %rbp; out: ret */
    u->dummy = (uint32_t)u->text.len;
    PUT(u, "\xc3");
}

static void big_add(struct lc_buf *out, uint32_t steps, uint32_t add)
{
    uint32_t step = 0x00c08348 | add << 24; /* add $NN, %rax */

    lc_buf_add(out, "\x48\x89\xf8", 3); /* mov %rdi, %rax */
    uint8_t *room = lc_buf_extend(out, (size_t)steps * sizeof(step));
    for (uint32_t i = 0; room && i < steps; i++)
        memcpy(room + (size_t)i * sizeof(step), &step, sizeof(step));
    lc_buf_putc(out, (char)0xc3);
}

const struct lc_machine lc_machine_x86_64 = {
    .name = "x86-64",
    .triplet = "x86_64-linux-gnu",
    .libc_version = "GLIBC_2.2.5",
    .elf_machine = EM_X86_64,
    .page = 0x1000,
    .code_apart = true,
    .relative = R_X86_64_RELATIVE,
    .glob_dat = R_X86_64_GLOB_DAT,
    .jump_slot = R_X86_64_JUMP_SLOT,
    .absolute = R_X86_64_64,
    .call = R_X86_64_PLT32,
    .pc32 = R_X86_64_PC32,
    .call_addend = -4,
    .reach = 1.9e9,
    .relocate = lc_x86_64_relocate,
    .plt_head = 16,
    .plt_entry = 16,
    .plt_entsize = 16,
    .code_align = 1,
    .debug_h = AT_H - 16, /* the CFA is 16 above rbp */
    .debug_i = AT_I - 16,
    .debug_f = AT_F - 16,
    .debug_d = AT_D - 16,
    .debug_args = AT_ARGS - 16,
    .debug_step = -8,
    .debug_loop = AT_LOOP - 16,
    .debug_next = AT_NEXT - 16,
    .debug_arrays = AT_ARRAYS - 16,
    .debug_visit_h = AT_VISIT_H - 16,
    .function = function_add,
    .outer = add_outer,
    .visit = visit_add,
    .entry = entry_add,
    .init = add_init,
    .big = big_add,
    .start = add_start,
    .plt = lc_x86_64_plt,
    .lazy = lc_x86_64_lazy,
    .fix = lc_x86_64_fix,
    .cie_code_align = 1,
    .cie_data_align = 0x78, /* -8 */
    .cie_return = 16,
    .cie = lc_x86_64_cie,
    .cfi = lc_x86_64_cfi,
    .cfi_plt = lc_x86_64_cfi_plt,
};
