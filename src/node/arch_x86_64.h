/* SPDX-License-Identifier: MIT */
/* arch_x86_64.h - what is special about x86-64. Freestanding; see arch.h */
#ifndef LC_NODE_ARCH_X86_64_H
#define LC_NODE_ARCH_X86_64_H

#include <cpuid.h>

#define LC_ARCH_MACHINE      EM_X86_64
#define LC_ARCH_LOADER       "/lib64/ld-linux-x86-64.so.2"
#define LC_ARCH_CACHE_FLAGS  0x303 /* of ld.so.cache: FLAG_ELF_LIBC6 | FLAG_X8664_LIB64 */
#define LC_ARCH_IRELATIVE    R_X86_64_IRELATIVE
#define lc_arch_kind         lc_reloc_kind_x86_64
#define LC_ARCH_THUNKS       4096
#define LC_ARCH_STAT_VERSION 1 /* highest version argument of __xstat: _STAT_VER_LINUX */
#define LC_ARCH_PAGE_MOST    4096
/* A call leaves its return address on the stack, where it can be seen until the call returns. */
#define LC_ARCH_RETURN_IS_ON_STACK 1
#define LC_ARCH_AUDIT_FROM         0 /* an auditor harms no program with any glibc 2.x */

/* Directories below those of a search in which ld.so looks for variants: the first from glibc 2.33
 * on, the others before 2.37. */
#define LC_ARCH_VARIANT_PLACES "glibc-hwcaps", "haswell", "xeon_phi", "avx512_1", "x86_64", "tls"
/* Those that hold libraries themselves, and the processor's level below which ld.so passes them. */
#define LC_ARCH_VARIANTS                                                 \
    {"glibc-hwcaps/x86-64-v4/", 4}, {"glibc-hwcaps/x86-64-v3/", 3},      \
        {"glibc-hwcaps/x86-64-v2/", 2}, {"haswell/", 0}, {"x86_64/", 0}, \
    {                                                                    \
        "tls/", 0                                                        \
    }

/* Functions without arguments, 16 bytes apart: number i calls lc_thunk_run(i). */
#define LC_ARCH_THUNK_TEXT                                                             \
    ".pushsection .text.thunks,\"ax\",@progbits\n.p2align 4\n.hidden lc_thunk_first\n" \
    ".globl lc_thunk_first\n.type lc_thunk_first,@function\nlc_thunk_first:\n"         \
    ".set lc_thunk_number, 0\n.rept 4096\n.p2align 4\nendbr64\n"                       \
    "movl $lc_thunk_number, %edi\njmp lc_thunk_run\n"                                  \
    ".set lc_thunk_number, lc_thunk_number + 1\n.endr\n.popsection\n"

#define LC_ARCH_THUNK_SIZE 16

/* The entry of a program without a C library: calls lc_entry_point(stack). */
#define LC_ARCH_ENTRY_TEXT                                    \
    ".text\n.globl _start\n.type _start,@function\n_start:\n" \
    "xor %ebp, %ebp\nmov %rsp, %rdi\nand $-16, %rsp\ncall lc_entry_point\nhlt\n"

/* Wrappers that jump to the C library's function, so that it sees the program as its caller.
 * lc_NAME_prepare says where to jump to, and with struct lc_next_answer also what to return if
 * that is nowhere. dlopen's third argument and dlmopen's fourth are where its return address
 * stands; dlsym's and dlvsym's fourth is the return address. */
#define LC_ARCH_DLOPEN_TEXT                                                                     \
    ".text\n.p2align 4\n.globl dlopen\n.type dlopen,@function\ndlopen:\nendbr64\n"              \
    "movq %rsp, %rdx\npushq %rdi\npushq %rsi\nsubq $8, %rsp\ncall lc_dlopen_prepare\naddq $8, " \
    "%rsp\n"                                                                                    \
    "popq %rsi\npopq %rdi\ntestq %rax, %rax\njz 1f\njmp *%rax\n1: movq %rdx, %rax\nret\n"       \
    ".size dlopen, .-dlopen\n"
#define LC_ARCH_DLMOPEN_TEXT                                                          \
    ".text\n.p2align 4\n.globl dlmopen\n.type dlmopen,@function\ndlmopen:\nendbr64\n" \
    "movq %rsp, %rcx\npushq %rdi\npushq %rsi\npushq %rdx\ncall lc_dlmopen_prepare\n"  \
    "popq %rdx\npopq %rsi\npopq %rdi\njmp *%rax\n.size dlmopen, .-dlmopen\n"
#define LC_ARCH_DLSYM_TEXT                                                                \
    ".text\n.p2align 4\n.globl dlsym\n.type dlsym,@function\ndlsym:\nendbr64\n"           \
    "movq (%rsp), %rcx\nxorl %edx, %edx\npushq %rdi\npushq %rsi\nsubq $8, %rsp\n"         \
    "call lc_dlsym_prepare\naddq $8, %rsp\npopq %rsi\npopq %rdi\n"                        \
    "testq %rax, %rax\njz 1f\njmp *%rax\n1: movq %rdx, %rax\nret\n.size dlsym, .-dlsym\n" \
    ".p2align 4\n.globl dlvsym\n.type dlvsym,@function\ndlvsym:\nendbr64\n"               \
    "movq (%rsp), %rcx\npushq %rdi\npushq %rsi\npushq %rdx\n"                             \
    "call lc_dlsym_prepare\nmovq %rdx, %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"           \
    "testq %rax, %rax\njz 1f\njmp *%rax\n1: movq %rcx, %rax\nret\n.size dlvsym, .-dlvsym\n"
#define LC_ARCH_DLCLOSE_TEXT                                                          \
    ".text\n.p2align 4\n.globl dlclose\n.type dlclose,@function\ndlclose:\nendbr64\n" \
    "pushq %rdi\ncall lc_dlclose_prepare\npopq %rdi\njmp *%rax\n.size dlclose, .-dlclose\n"

static inline long lc_arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* A number that identifies the thread, at no cost; only valid after the C library has set up TLS.
 */
static inline uint64_t lc_arch_thread(void)
{
    uint64_t self;

    __asm__("movq %%fs:0, %0" : "=r"(self));
    return self;
}

/* Where this thread's pointer to its table of thread variables stands (tcbhead_t: its own address,
 * then the table); NULL before there is one. */
static inline void *lc_arch_dtv(void)
{
    uint64_t self = lc_arch_thread();

    return self ? (char *)self + sizeof(void *) : NULL;
}

/* Call the resolver of an IFUNC as ld.so does. */
static inline uint64_t lc_arch_resolve(uint64_t resolver, uint64_t hwcap, uint64_t hwcap2)
{
    (void)hwcap;
    (void)hwcap2;
    return ((uint64_t(*)(void))resolver)();
}

/* The processor state that the operating system saves at a context switch (XCR0). */
static inline uint32_t lc_arch_saved_state(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* N of x86-64-vN, as defined by the psABI and tested by glibc's sysdeps/x86. */
static inline uint32_t lc_arch_cpu_level(void)
{
    uint32_t most, a, b, c, d, b7, c1, c81;

    /* Both pages exist in every processor of 64 bits. */
    __cpuid(1, a, b, c1, d);
    __cpuid(0x80000001, a, b, c81, d);
    /* v2: SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF */
    uint32_t v2 = 1u | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23;
    if ((c1 & v2) != v2 || !(c81 & 1))
        return 1;
    /* v3: FMA, MOVBE, OSXSAVE, AVX, F16C; LZCNT; BMI1, AVX2, BMI2 */
    uint32_t v3 = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29;
    if ((c1 & v3) != v3 || !(c81 & 1u << 5))
        return 2;
    __cpuid(0, most, b, c, d);
    if (most < 7)
        return 2;
    __cpuid_count(7, 0, a, b7, c, d);
    if ((b7 & (1u << 3 | 1u << 5 | 1u << 8)) != (1u << 3 | 1u << 5 | 1u << 8) ||
        (lc_arch_saved_state() & 6) != 6)
        return 2;
    /* v4: AVX512 F, DQ, CD, BW, VL */
    uint32_t v4 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
    return (b7 & v4) == v4 && (lc_arch_saved_state() & 0xe6) == 0xe6 ? 4 : 3;
}

#endif
