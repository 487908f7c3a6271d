/* SPDX-License-Identifier: MIT */
/* register_layout.h - where the registers of each architecture stand in what PTRACE_GETREGSET
 * (NT_PRSTATUS) reads: an array of 64-bit words */
#ifndef LC_TRACE_REGISTER_LAYOUT_H
#define LC_TRACE_REGISTER_LAYOUT_H

#include <linux/audit.h>
#include <stddef.h>
#include <stdint.h>

enum { LC_REGISTER_WORDS = 34 }; /* of the largest layout */

/* Indices of words. */
struct lc_register_layout {
    uint32_t arch;  /* the kernel's number for it */
    size_t words;   /* programs of another word size have another number of them */
    int number;     /* of the system call */
    int result;     /* at the end of a call */
    int args[6];    /* at its begin */
    int stack;      /* the stack pointer */
    int mode;       /* a word that tells the word size, -1: none; and */
    uint64_t value; /* what it is for 64 bits */
};

/* struct user_regs_struct: orig_rax; rax; rdi, rsi, rdx, r10, r8, r9; rsp; cs */
static const struct lc_register_layout lc_registers_x86_64 = {AUDIT_ARCH_X86_64,     27, 15, 10,
                                                              {14, 13, 12, 7, 9, 8}, 19, 17, 0x33};

/* struct user_pt_regs: x8; x0; x0 to x5; sp. A program of 32 bits has fewer words. */
static const struct lc_register_layout lc_registers_aarch64 = {AUDIT_ARCH_AARCH64, 34, 8,  0,
                                                               {0, 1, 2, 3, 4, 5}, 31, -1, 0};

/* The one we are built for. */
#if defined(__x86_64__)
#define LC_REGISTERS_HERE lc_registers_x86_64
#elif defined(__aarch64__)
#define LC_REGISTERS_HERE lc_registers_aarch64
#else
#error "trace: add this machine's layout"
#endif

#endif
