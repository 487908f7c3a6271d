/* SPDX-License-Identifier: MIT */
/* elf_aarch64.c - AArch64 instructions for the ELF emitter
 *
 * The code is like that of gcc -O0, a little shorter; see elf_x86_64.c. */
#include <elf.h>
#include <string.h>

#include "gen/elf_aarch64.h"

enum { X0 = 0, X1 = 1, X19 = 19, FP = 29, LR = 30, SP = 31 };
/* Offsets from sp in the stack frame of a function; x29 and x30 come first. */
enum {
    AT_ARGS = 16, /* 8 bytes each */
    AT_D = 56,
    AT_ARRAYS = 64,
    AT_LOOP = AT_ARRAYS + 6 * LC_ARRAY_BYTES, /* results of calls */
    AT_NEXT = AT_LOOP + 4,
    AT_F = AT_NEXT + 4,
    AT_I = AT_F + 4,
    AT_H = AT_I + 4,
    FRAME = 336,
};

/* The frame of a module's visit function holds x29, x30, x19 and h; that of other functions x29,
 * x30 and two arguments. */
enum { AT_VISIT_H = 24, VISIT_FRAME = 48, SMALL_FRAME = 32 };

static void instruction_put(struct lc_unit *u, uint32_t instruction)
{
    lc_unit_put(u, &instruction, sizeof(instruction));
}

/* ---- loads and stores relative to sp ---- */

enum access {
    STORE_W = 0,
    LOAD_W = 1,
    STORE_X = 2,
    LOAD_X = 3,
    STORE_S = 4,
    LOAD_S,
    STORE_D,
    LOAD_D
};

static uint32_t access_slot(enum access how, unsigned reg, unsigned at)
{
    static const uint32_t opcode[] = {0xb9000000, 0xb9400000, 0xf9000000, 0xf9400000,
                                      0xbd000000, 0xbd400000, 0xfd000000, 0xfd400000};
    unsigned scale = opcode[how] >> 30 == 3 ? 8 : 4;

    return opcode[how] | at / scale << 10 | SP << 5 | reg;
}

static void slot_access_put(struct lc_unit *u, enum access how, unsigned reg, unsigned at)
{
    instruction_put(u, access_slot(how, reg, at));
}

/* ---- constants ---- */

static void load_32(struct lc_unit *u, unsigned reg, uint32_t value)
{
    bool low = value & 0xffff || value >> 16 == 0;

    if (low)
        instruction_put(u, 0x52800000 | (value & 0xffff) << 5 | reg); /* mov */
    if (value >> 16)
        instruction_put(u, (low ? 0x72a00000 : 0x52a00000) | value >> 16 << 5 |
                               reg); /* movk, or mov, lsl 16 */
}

static void load_64(struct lc_unit *u, unsigned reg, uint64_t value)
{
    uint32_t opcode = 0xd2800000; /* mov first, then movk */

    for (uint32_t half = 0; half < 4; half++) {
        uint32_t bits = (uint32_t)(value >> 16 * half) & 0xffff;
        if (!bits && !(half == 3 && opcode == 0xd2800000))
            continue;
        instruction_put(u, opcode | half << 21 | bits << 5 | reg);
        opcode = 0xf2800000;
    }
}

static bool is_real(enum lc_type type)
{
    return type == LC_FLOAT || type == LC_DOUBLE;
}

/* Loads a real constant through an integer register, as gcc does. */
static void load_real(struct lc_unit *u, enum lc_type type, unsigned reg, lc_literal eighths)
{
    double d = eighths / 8.0;
    float f = (float)d;
    uint64_t bits = 0;

    if (type == LC_FLOAT) {
        memcpy(&bits, &f, sizeof(f));
        load_32(u, 9, (uint32_t)bits);
        instruction_put(u, 0x1e270000 | 9 << 5 | reg); /* fmov sN, w9 */
        return;
    }
    memcpy(&bits, &d, sizeof(d));
    load_64(u, 9, bits);
    instruction_put(u, 0x9e670000 | 9 << 5 | reg); /* fmov dN, x9 */
}

/* adrp and add, or adrp and ldr: both halves are filled in by fix(). */
static void address_load(struct lc_unit *u, unsigned reg, enum lc_ref_kind kind, uint32_t target)
{
    lc_unit_ref(u, kind, u->text.len, target);
    instruction_put(u, 0x90000000 | reg);
    instruction_put(u, (kind == LC_REF_GOT ? 0xf9400000 : 0x91000000) | reg << 5 | reg);
}

static void put_call(struct lc_unit *u, uint32_t symbol)
{
    lc_unit_ref(u, LC_REF_CALL, u->text.len, symbol);
    instruction_put(u, 0x94000000); /* bl */
}

/* ---- arguments and results ---- */

static void arguments_store(struct lc_unit *u, const struct lc_signature *sig)
{
    static const enum access how[LC_TYPES] = {STORE_W, STORE_X, STORE_S, STORE_D, STORE_X};
    unsigned integers = 0, reals = 0;

    for (unsigned i = 0; i < sig->args; i++)
        slot_access_put(u, how[sig->arg[i]], is_real(sig->arg[i]) ? reals++ : integers++,
                        AT_ARGS + 8 * i);
}

static void call_put(struct lc_unit *u, const struct lc_model_call *c)
{
    unsigned integers = 0, reals = 0;

    for (unsigned i = 0; i < c->signature.args; i++) {
        enum lc_type type = c->signature.arg[i];
        if (is_real(type))
            load_real(u, type, reals++, c->arg[i]);
        else if (type == LC_STRING)
            address_load(u, integers++, LC_REF_RODATA, c->arg[i]);
        else
            load_32(u, integers++, c->arg[i]);
    }
    put_call(u, lc_unit_target(u, c));
}

/* Converts the result of a call, in x0 or v0, to 32 bits in w1. */
static void result_to_w1(struct lc_unit *u, enum lc_type type)
{
    if (type == LC_FLOAT)
        instruction_put(u, 0x1e380001); /* fcvtzs w1, s0 */
    else if (type == LC_DOUBLE)
        instruction_put(u, 0x1e780001); /* fcvtzs w1, d0 */
    else if (type == LC_STRING)
        instruction_put(u, 0x39400001); /* ldrb w1, [x0] */
    else
        instruction_put(u, 0x2a0003e1); /* mov w1, w0 */
}

static void argument_take(struct lc_unit *u, enum lc_type type, unsigned at)
{
    static const enum access how[LC_TYPES] = {LOAD_W, LOAD_X, LOAD_S, LOAD_D, LOAD_X};

    slot_access_put(u, how[type], 0, at);
    result_to_w1(u, type);
}

/* ---- functions ---- */

static void frame_open(struct lc_unit *u, int bytes)
{
    instruction_put(u, 0xa9800000 | ((uint32_t)(-bytes / 8) & 0x7f) << 15 | LR << 10 | SP << 5 |
                           FP);     /* stp */
    instruction_put(u, 0x910003fd); /* mov x29, sp */
    if (bytes == VISIT_FRAME)
        slot_access_put(u, STORE_X, X19, 16);
}

static void frame_close(struct lc_unit *u, int bytes)
{
    lc_unit_line(u, 1, LC_COLUMN_EDGE);
    if (bytes == VISIT_FRAME)
        slot_access_put(u, LOAD_X, X19, 16);
    instruction_put(u,
                    0xa8c00000 | (uint32_t)(bytes / 8) << 15 | LR << 10 | SP << 5 | FP); /* ldp */
    instruction_put(u, 0xd65f03c0);                                                      /* ret */
}

static void slot_set(struct lc_unit *u, unsigned at, uint32_t value)
{
    load_32(u, 0, value);
    slot_access_put(u, STORE_W, 0, at);
}

static void locals_store(struct lc_unit *u, const struct lc_function *f)
{
    lc_unit_line(u, 2, LC_COLUMN_BODY);
    load_real(u, LC_FLOAT, 0, f->real[0]);
    slot_access_put(u, STORE_S, 0, AT_F);
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    load_real(u, LC_DOUBLE, 0, f->real[1]);
    slot_access_put(u, STORE_D, 0, AT_D);
}

/* h += w1, or h ^= w1 */
static void hash_combine(struct lc_unit *u, bool exclusive)
{
    slot_access_put(u, LOAD_W, 0, AT_H);
    instruction_put(u, exclusive ? 0x4a010000 : 0x0b010000);
    slot_access_put(u, STORE_W, 0, AT_H);
}

/* w1 = the call's result as 32 bits; stores it in a variable and adds it to h */
static void result_add(struct lc_unit *u, const struct lc_model_call *c, unsigned at,
                       enum lc_column column)
{
    call_put(u, c);
    result_to_w1(u, c->signature.result);
    slot_access_put(u, STORE_W, 1, at);
    lc_unit_line(u, 1, column);
    hash_combine(u, false);
}

static void loop_add(struct lc_unit *u, const struct lc_model_call *c)
{
    lc_unit_line(u, 1, LC_COLUMN_FIRST);
    slot_access_put(u, STORE_W, 31, AT_I); /* wzr */
    instruction_put(u, 0x14000000);        /* b to the condition */
    size_t body = u->text.len;
    u->loop_start = (uint32_t)body;
    lc_unit_line(u, 1, LC_COLUMN_LOOP);
    if (c->target) {
        result_add(u, c, AT_LOOP, LC_COLUMN_LOOP);
    } else {
        slot_access_put(u, LOAD_W, 1, AT_I);
        hash_combine(u, false);
    }
    u->loop_end = (uint32_t)u->text.len;
    lc_unit_line(u, c->target ? -2 : -1, LC_COLUMN_STEP);
    slot_access_put(u, LOAD_W, 0, AT_I);
    instruction_put(u, 0x11000400); /* add w0, w0, #1 */
    slot_access_put(u, STORE_W, 0, AT_I);
    if (u->text.failed)
        return;
    uint32_t jump = 0x14000000 | (uint32_t)(u->text.len - body + 4) / 4;
    memcpy(u->text.data + body - 4, &jump, sizeof(jump));
    lc_unit_line(u, 0, LC_COLUMN_TEST);
    slot_access_put(u, LOAD_W, 0, AT_I);
    instruction_put(u, 0x7100241f); /* cmp w0, #9 */
    uint32_t back = (uint32_t)((int64_t)(body - u->text.len) / 4) & 0x7ffff;
    instruction_put(u, 0x5400000d | back << 5); /* b.le body */
    u->line += c->target ? 3 : 2;               /* the closing brace */
}

static void return_put(struct lc_unit *u, enum lc_type type)
{
    bool is_float = type == LC_FLOAT;

    lc_unit_line(u, 1, LC_COLUMN_BODY);
    slot_access_put(u, LOAD_W, 0, AT_H);
    if (type == LC_STRING) {
        instruction_put(u, 0x12001400); /* and w0, w0, #63 */
        address_load(u, 1, LC_REF_RODATA, 0);
        instruction_put(u, 0x8b000020); /* add x0, x1, x0 */
    } else if (is_real(type)) {
        instruction_put(u, is_float ? 0x12002c00 : 0x12004c00); /* and w0, w0, #mask */
        slot_access_put(u, is_float ? LOAD_S : LOAD_D, 1, is_float ? AT_F : AT_D);
        instruction_put(u, is_float ? 0x1e220000 : 0x1e620000); /* scvtf s0, w0 */
        instruction_put(u, is_float ? 0x1e202820 : 0x1e602820); /* fadd s0, s1, s0 */
    }
    frame_close(u, FRAME);
}

static void function_add(struct lc_unit *u, const struct lc_function *f, uint32_t printed)
{
    frame_open(u, FRAME);
    arguments_store(u, &f->signature);
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    slot_set(u, AT_H, f->start);
    locals_store(u, f);
    u->line += 3; /* arrays, and an empty line */
    if (printed != LC_NONE) {
        lc_unit_line(u, 1, LC_COLUMN_BODY);
        address_load(u, 0, LC_REF_RODATA, printed);
        put_call(u, u->puts);
    }
    for (unsigned i = 0; i < f->signature.args; i++) {
        lc_unit_line(u, 1, LC_COLUMN_BODY);
        argument_take(u, f->signature.arg[i], AT_ARGS + 8 * i);
        hash_combine(u, i % 2);
    }
    loop_add(u, &f->loop);
    if (f->next.target) {
        lc_unit_line(u, 1, LC_COLUMN_BODY);
        result_add(u, &f->next, AT_NEXT, LC_COLUMN_BODY);
    }
    return_put(u, f->signature.result);
}

static void add_outer(struct lc_unit *u, uint32_t start)
{
    frame_open(u, SMALL_FRAME);
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    load_32(u, 1, start * 31);
    instruction_put(u, 0x0b010000); /* add w0, w0, w1 */
    frame_close(u, SMALL_FRAME);
}

/* h = 31 h + the call's result, through w19 */
static void visit_call_add(struct lc_unit *u, const struct lc_model_call *c)
{
    slot_access_put(u, LOAD_W, 1, AT_VISIT_H);
    instruction_put(u, 0x2a0103e0); /* mov w0, w1 */
    instruction_put(u, 0x531b6800); /* lsl w0, w0, #5 */
    instruction_put(u, 0x4b010013); /* sub w19, w0, w1 */
    call_put(u, c);
    result_to_w1(u, c->signature.result);
    instruction_put(u, 0x0b010260); /* add w0, w19, w1 */
    slot_access_put(u, STORE_W, 0, AT_VISIT_H);
}

static void visit_add(struct lc_unit *u)
{
    size_t calls = lc_model_entry_calls(u->model, u->lib.index);
    struct lc_model_call c;

    frame_open(u, VISIT_FRAME);
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    slot_set(u, AT_VISIT_H, lc_model_entry_start(u->model, u->lib.index));
    for (size_t i = 0; i < calls; i++) {
        lc_model_entry_call(u->model, u->lib.index, i, &c);
        lc_unit_line(u, i ? 1 : 2, LC_COLUMN_BODY);
        visit_call_add(u, &c);
    }
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    slot_access_put(u, LOAD_W, 0, AT_VISIT_H);
    frame_close(u, VISIT_FRAME);
}

static void entry_add(struct lc_unit *u, uint32_t visit)
{
    frame_open(u, SMALL_FRAME);
    slot_access_put(u, STORE_X, 0, 24);
    slot_access_put(u, STORE_X, 1, 16);
    lc_unit_line(u, 3, LC_COLUMN_BODY);
    if (visit == LC_NONE)
        load_32(u, 0, 0);
    else
        put_call(u, visit);
    instruction_put(u, 0x2a0003e0); /* mov w0, w0 */
    put_call(u, u->py_long);
    frame_close(u, SMALL_FRAME);
}

static void add_init(struct lc_unit *u)
{
    frame_open(u, SMALL_FRAME);
    lc_unit_line(u, 1, LC_COLUMN_BODY);
    address_load(u, 0, LC_REF_DATA, u->definition);
    put_call(u, u->py_init);
    frame_close(u, SMALL_FRAME);
}

static void big_add(struct lc_buf *out, uint32_t steps, uint32_t add)
{
    uint32_t step = 0x91000000 | add << 10, back = 0xd65f03c0; /* add x0, x0, #NN; ret */
    uint8_t *room = lc_buf_extend(out, (size_t)steps * sizeof(step));

    for (uint32_t i = 0; room && i < steps; i++)
        memcpy(room + (size_t)i * sizeof(step), &step, sizeof(step));
    lc_buf_add(out, &back, sizeof(back));
}

/* The start functions: _init calls __gmon_start__ if that is defined, and the destructor calls
 * __cxa_finalize once. _init comes first, as it is moved to .init later; the rest stays in .text.
 */
static void add_start(struct lc_unit *u)
{
    frame_open(u, SMALL_FRAME);
    address_load(u, 0, LC_REF_GOT, LC_START_GMON);
    instruction_put(u, 0xb4000040); /* cbz x0, over the call */
    put_call(u, u->start + LC_START_GMON);
    frame_close(u, SMALL_FRAME);
    lc_buf_add(&u->init, u->text.data, u->text.len);
    u->init_refs = u->refs;
    lc_buf_clear(&u->text);
    frame_open(u, SMALL_FRAME);
    frame_close(u, SMALL_FRAME);
    lc_buf_add(&u->fini, u->text.data, u->text.len);
    lc_buf_clear(&u->text);
    u->dtors = 0;
    frame_open(u, VISIT_FRAME);
    address_load(u, X19, LC_REF_BSS, 0);
    instruction_put(u, 0x39400260); /* ldrb w0, [x19] */
    instruction_put(u, 0x35000140); /* cbnz w0, out */
    address_load(u, 0, LC_REF_GOT, LC_START_FINALIZE);
    instruction_put(u, 0xb40000a0); /* cbz x0, over the call */
    address_load(u, 0, LC_REF_DATA, 0);
    instruction_put(u, 0xf9400000); /* ldr x0, [x0] */
    put_call(u, u->start + LC_START_FINALIZE);
    load_32(u, 0, 1);
    instruction_put(u, 0x39000260); /* strb w0, [x19] */
    frame_close(u, VISIT_FRAME);
    u->dummy = (uint32_t)u->text.len;
    instruction_put(u, 0xd65f03c0);
}

const struct lc_machine lc_machine_aarch64 = {
    .name = "aarch64",
    .triplet = "aarch64-linux-gnu",
    .libc_version = "GLIBC_2.17",
    .code_mark = "$x",
    .elf_machine = EM_AARCH64,
    .page = 0x10000,
    .got_head = true,
    .relative = R_AARCH64_RELATIVE,
    .glob_dat = R_AARCH64_GLOB_DAT,
    .jump_slot = R_AARCH64_JUMP_SLOT,
    .absolute = R_AARCH64_ABS64,
    .call = R_AARCH64_CALL26,
    .pc32 = R_AARCH64_PREL32,
    .reach = 120e6,
    .relocate = lc_aarch64_relocate,
    .plt_head = 32,
    .plt_entry = 16,
    .code_align = 4,
    .debug_h = AT_H - FRAME,
    .debug_i = AT_I - FRAME,
    .debug_f = AT_F - FRAME,
    .debug_d = AT_D - FRAME,
    .debug_args = AT_ARGS - FRAME,
    .debug_step = 8,
    .debug_loop = AT_LOOP - FRAME,
    .debug_next = AT_NEXT - FRAME,
    .debug_arrays = AT_ARRAYS - FRAME,
    .debug_visit_h = AT_VISIT_H - VISIT_FRAME,
    .function = function_add,
    .outer = add_outer,
    .visit = visit_add,
    .entry = entry_add,
    .init = add_init,
    .big = big_add,
    .start = add_start,
    .plt = lc_aarch64_plt,
    .lazy = lc_aarch64_lazy,
    .fix = lc_aarch64_fix,
    .cie_code_align = 4,
    .cie_data_align = 0x78, /* -8 */
    .cie_return = LR,
    .cie = lc_aarch64_cie,
    .cfi = lc_aarch64_cfi,
};
