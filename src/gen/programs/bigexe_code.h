/* SPDX-License-Identifier: MIT */
/* bigexe_code.h - one large function of pynamic-bigexe
 *
 * BIGEXE(N, C) defines long bigexe_N(long x), which returns x + BIGEXE_STEPS * C by that many real
 * instructions "add C". The assembler repeats the instruction, so that 200 MB take a second; where
 * it is not known, the compiler repeats a statement, more slowly, and the number of steps is fixed.
 * BIGEXE_STEPS is defined before this is included. */
#ifndef BIGEXE_CODE_H
#define BIGEXE_CODE_H

#define BIGEXE_TEXT(x)  #x
#define BIGEXE_VALUE(x) BIGEXE_TEXT(x)

#define BIGEXE_ASM(n, first, add)                                                       \
    __asm__(".text\n.p2align 4\n.globl bigexe_" #n "\n.type bigexe_" #n ", %function\n" \
            "bigexe_" #n ":\n.cfi_startproc\n" first                                    \
            ".fill " BIGEXE_VALUE(BIGEXE_STEPS) ", 4, " add "\nret\n.cfi_endproc\n"     \
                                                ".size bigexe_" #n ", . - bigexe_" #n "\n");

#if defined(__x86_64__)
/* 48 83 c0 NN: add $NN, %rax */
#define BIGEXE(n, c) BIGEXE_ASM(n, "movq %rdi, %rax\n", "0x00c08348 + " #c " * 0x1000000")
#elif defined(__aarch64__)
/* add x0, x0, #NN */
#define BIGEXE(n, c) BIGEXE_ASM(n, "", "0x91000000 + " #c " * 0x400")
#else
#undef BIGEXE_STEPS
#define BIGEXE_STEPS 20000
#define BIGEXE_10(x) x x x x x x x x x x
#define BIGEXE(n, c)                                                    \
    long bigexe_##n(long x)                                             \
    {                                                                   \
        volatile long sum = x;                                          \
        BIGEXE_10(BIGEXE_10(BIGEXE_10(BIGEXE_10(sum += c; sum += c;)))) \
        return sum;                                                     \
    }
#endif

#endif
