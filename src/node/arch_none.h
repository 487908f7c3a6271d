/* SPDX-License-Identifier: MIT */
/* arch_none.h - an architecture for which bindings are not yet recorded or replayed */
#ifndef LC_NODE_ARCH_NONE_H
#define LC_NODE_ARCH_NONE_H

#define LC_ARCH_REFUSAL   "bindings are replayed on x86-64 only: not yet tested on this processor"
#define LC_ARCH_IRELATIVE 0
#define LC_ARCH_THUNKS    1
#define LC_ARCH_THUNK_TEXT                                                \
    ".pushsection .text\n.globl lc_thunk_first\n.hidden lc_thunk_first\n" \
    "lc_thunk_first:\n.popsection\n"
#define LC_ARCH_THUNK_SIZE 1

static inline enum lc_reloc_kind lc_arch_kind(uint32_t type)
{
    (void)type;
    return LC_RELOC_LEFT;
}

static inline uint64_t lc_arch_thread(void)
{
    return 0;
}

#endif
