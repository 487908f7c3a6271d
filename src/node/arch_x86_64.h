/* SPDX-License-Identifier: MIT */
/* arch_x86_64.h - relocation types of x86-64 */
#ifndef LC_NODE_ARCH_X86_64_H
#define LC_NODE_ARCH_X86_64_H

#define LC_ARCH_REFUSAL   NULL /* bindings can be replayed here */
#define LC_ARCH_IRELATIVE R_X86_64_IRELATIVE
#define LC_ARCH_THUNKS    4096

static inline enum lc_reloc_kind lc_arch_kind(uint32_t type)
{
    switch (type) {
    case R_X86_64_RELATIVE:
        return LC_RELOC_RELATIVE;
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
        return LC_RELOC_SYMBOL;
    case R_X86_64_64:
        return LC_RELOC_SYMBOL_ADD;
    default:
        return LC_RELOC_LEFT;
    }
}

/* Functions without arguments, 16 bytes apart: number i calls lc_thunk_run(i). */
#define LC_ARCH_THUNK_TEXT                                                             \
    ".pushsection .text.thunks,\"ax\",@progbits\n.p2align 4\n.hidden lc_thunk_first\n" \
    ".globl lc_thunk_first\n.type lc_thunk_first,@function\nlc_thunk_first:\n"         \
    ".set lc_thunk_number, 0\n.rept 4096\n.p2align 4\nendbr64\n"                       \
    "movl $lc_thunk_number, %edi\njmp lc_thunk_run\n"                                  \
    ".set lc_thunk_number, lc_thunk_number + 1\n.endr\n.popsection\n"

#define LC_ARCH_THUNK_SIZE 16

/* A number that identifies the thread, at no cost; only valid after the C library has set up TLS.
 */
static inline uint64_t lc_arch_thread(void)
{
    uint64_t self;

    __asm__("movq %%fs:0, %0" : "=r"(self));
    return self;
}

#endif
