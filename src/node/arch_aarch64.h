/* SPDX-License-Identifier: MIT */
/* arch_aarch64.h - what is special about aarch64. Freestanding; see arch.h */
#ifndef LC_NODE_ARCH_AARCH64_H
#define LC_NODE_ARCH_AARCH64_H

#define LC_ARCH_MACHINE      EM_AARCH64
#define LC_ARCH_LOADER       "/lib/ld-linux-aarch64.so.1"
#define LC_ARCH_CACHE_FLAGS  0xa03 /* of ld.so.cache: FLAG_ELF_LIBC6 | FLAG_AARCH64_LIB64 */
#define LC_ARCH_IRELATIVE    R_AARCH64_IRELATIVE
#define lc_arch_kind         lc_reloc_kind_aarch64
#define LC_ARCH_THUNKS       4096
#define LC_ARCH_STAT_VERSION 0     /* highest version argument of __xstat: _STAT_VER_KERNEL */
#define LC_ARCH_PAGE_MOST    65536 /* kernels are built for pages of 4, 16 or 64 KiB */
/* A call leaves its return address in a register: the caller's frame does not show it. */
#define LC_ARCH_RETURN_IS_ON_STACK 0
/* Before glibc 2.35, whenever there is an auditor, ld.so's code for lazily bound calls loses x8
 * (the address of a large result) and half of each vector register (glibc bug 26643). */
#define LC_ARCH_AUDIT_FROM 35

/* Directories below those of a search in which ld.so looks for variants: the first from glibc 2.33
 * on, the others before 2.37. */
#define LC_ARCH_VARIANT_PLACES "glibc-hwcaps", "atomics", "aarch64", "tls"
/* Those that hold libraries themselves. */
#define LC_ARCH_VARIANTS              \
    {"atomics/", 0}, {"aarch64/", 0}, \
    {                                 \
        "tls/", 0                     \
    }

/* Functions without arguments, 16 bytes apart: number i calls lc_thunk_run(i). 'hint #34' is BTI c,
 * where an indirect call may land. */
#define LC_ARCH_THUNK_TEXT                                                             \
    ".pushsection .text.thunks,\"ax\",%progbits\n.p2align 4\n.hidden lc_thunk_first\n" \
    ".globl lc_thunk_first\n.type lc_thunk_first,%function\nlc_thunk_first:\n"         \
    ".set lc_thunk_number, 0\n.rept 4096\n.p2align 4\nhint #34\n"                      \
    "mov w0, #lc_thunk_number\nb lc_thunk_run\n"                                       \
    ".set lc_thunk_number, lc_thunk_number + 1\n.endr\n.popsection\n"

#define LC_ARCH_THUNK_SIZE 16

/* The entry of a program without a C library: calls lc_entry_point(stack). */
#define LC_ARCH_ENTRY_TEXT                                    \
    ".text\n.globl _start\n.type _start,%function\n_start:\n" \
    "mov x29, #0\nmov x30, #0\nmov x0, sp\nand sp, x0, #-16\nbl lc_entry_point\nbrk #1\n"

/* Wrappers that jump to the C library's function, so that it sees the program as its caller.
 * lc_NAME_prepare says where to jump to, and with struct lc_next_answer also what to return if
 * that is nowhere. dlopen's third argument and dlmopen's fourth are the stack pointer of its
 * caller; dlsym's and dlvsym's fourth is the return address. Jumps by x16 may land where calls may.
 */
#define LC_ARCH_DLOPEN_TEXT                                                                     \
    ".text\n.p2align 4\n.globl dlopen\n.type dlopen,%function\ndlopen:\nhint #34\nmov x2, sp\n" \
    "stp x0, x1, [sp, #-32]!\nstr x30, [sp, #16]\nbl lc_dlopen_prepare\nmov x16, x0\n"          \
    "mov x17, x1\nldr x30, [sp, #16]\nldp x0, x1, [sp], #32\ncbz x16, 1f\nbr x16\n"             \
    "1: mov x0, x17\nret\n.size dlopen, .-dlopen\n"
#define LC_ARCH_DLMOPEN_TEXT                                                               \
    ".text\n.p2align 4\n.globl dlmopen\n.type dlmopen,%function\ndlmopen:\nhint #34\n"     \
    "mov x3, sp\nstp x0, x1, [sp, #-32]!\nstp x2, x30, [sp, #16]\nbl lc_dlmopen_prepare\n" \
    "mov x16, x0\nldp x2, x30, [sp, #16]\nldp x0, x1, [sp], #32\nbr x16\n.size dlmopen, "  \
    ".-dlmopen\n"
#define LC_ARCH_DLSYM_TEXT                                                                      \
    ".text\n.p2align 4\n.globl dlsym\n.type dlsym,%function\ndlsym:\nhint #34\n"                \
    "stp x0, x1, [sp, #-32]!\nstr x30, [sp, #16]\nmov x2, #0\nmov x3, x30\n"                    \
    "bl lc_dlsym_prepare\nmov x16, x0\nmov x17, x1\n"                                           \
    "ldr x30, [sp, #16]\nldp x0, x1, [sp], #32\ncbz x16, 1f\nbr x16\n1: mov x0, x17\nret\n"     \
    ".size dlsym, .-dlsym\n"                                                                    \
    ".p2align 4\n.globl dlvsym\n.type dlvsym,%function\ndlvsym:\nhint #34\n"                    \
    "stp x0, x1, [sp, #-32]!\nstp x2, x30, [sp, #16]\nmov x3, x30\n"                            \
    "bl lc_dlsym_prepare\nmov x16, x0\nmov x17, x1\n"                                           \
    "ldp x2, x30, [sp, #16]\nldp x0, x1, [sp], #32\ncbz x16, 1f\nbr x16\n1: mov x0, x17\nret\n" \
    ".size dlvsym, .-dlvsym\n"
#define LC_ARCH_DLCLOSE_TEXT                                                           \
    ".text\n.p2align 4\n.globl dlclose\n.type dlclose,%function\ndlclose:\nhint #34\n" \
    "stp x0, x30, [sp, #-16]!\nbl lc_dlclose_prepare\nmov x16, x0\n"                   \
    "ldp x0, x30, [sp], #16\nbr x16\n.size dlclose, .-dlclose\n"

static inline long lc_arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = nr;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}

/* A number that identifies the thread, at no cost; only valid after the C library has set up TLS.
 */
static inline uint64_t lc_arch_thread(void)
{
    uint64_t self;

    __asm__("mrs %0, tpidr_el0" : "=r"(self));
    return self;
}

/* Where this thread's pointer to its table of thread variables stands (tcbhead_t: the table comes
 * first); NULL before there is one. */
static inline void *lc_arch_dtv(void)
{
    return (void *)lc_arch_thread();
}

/* Call the resolver of an IFUNC as ld.so does: with the processor's capabilities, and a bit that
 * says that a structure with more of them follows (sysdeps/aarch64/dl-irel.h). */
static inline uint64_t lc_arch_resolve(uint64_t resolver, uint64_t hwcap, uint64_t hwcap2)
{
    const uint64_t all[3] = {sizeof(uint64_t[3]), hwcap, hwcap2}; /* __ifunc_arg_t */

    return ((uint64_t(*)(uint64_t, const uint64_t *))resolver)(hwcap | (uint64_t)1 << 62, all);
}

/* There are no levels. */
static inline uint32_t lc_arch_cpu_level(void)
{
    return 0;
}

#endif
