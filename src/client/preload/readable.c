/* SPDX-License-Identifier: MIT */
/* readable.c - may a pointer that the program passed be followed? See readable.h */
#include "client/preload/readable.h"

#include <stdint.h>

#include "node/syscall.h"

enum { PAGE = 4096, KNOWN = 256, EFAULT_ = 14 };

static uintptr_t readable[KNOWN], writable[KNOWN]; /* caches of page numbers; 0: empty slot */

struct vector { /* struct iovec */
    void *at;
    size_t size;
};

/* Copy a byte of this process by the kernel; false if the address is not accessible. If a filter
 * forbids the system call, nothing can be checked and the result is true. */
static bool byte_copy(long call, char *byte, uintptr_t there)
{
    struct vector ours = {byte, 1}, theirs = {(void *)there, 1};
    long self = LC_SYS3(__NR_getpid, 0, 0, 0);

    return lc_sys6(call, self, (long)&ours, 1, (long)&theirs, 1, 0) != -EFAULT_;
}

static uintptr_t *page_slot(uintptr_t *known, uintptr_t page)
{
    return &known[(page ^ page >> 8) % KNOWN];
}

static bool page_is_known(uintptr_t *known, uintptr_t page)
{
    return __atomic_load_n(page_slot(known, page), __ATOMIC_RELAXED) == page && page;
}

static void page_remember(uintptr_t *known, uintptr_t page)
{
    __atomic_store_n(page_slot(known, page), page, __ATOMIC_RELAXED);
}

static bool byte_is_readable(uintptr_t at)
{
    char byte;

    if (page_is_known(readable, at / PAGE) || !lc_readable_may_ask())
        return true;
    if (!byte_copy(__NR_process_vm_readv, &byte, at))
        return false;
    page_remember(readable, at / PAGE);
    return true;
}

static bool byte_is_writable(uintptr_t at)
{
    char byte = 0;

    if (page_is_known(writable, at / PAGE) || !lc_readable_may_ask())
        return true;
    if (!byte_copy(__NR_process_vm_readv, &byte, at) ||
        !byte_copy(__NR_process_vm_writev, &byte, at))
        return false;
    page_remember(writable, at / PAGE);
    return true;
}

static bool word_has_nul(uint64_t word)
{
    return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

/* Aligned words are read as a whole: an aligned word never crosses into another page. */
bool lc_is_text(const char *text)
{
    uintptr_t at = (uintptr_t)text;

    if (!byte_is_readable(at))
        return false;
    for (; at % 8; at++)
        if (!*(const char *)at)
            return true;
    for (;; at += 8) {
        if (at % PAGE == 0 && !byte_is_readable(at))
            return false;
        if (word_has_nul(*(const volatile uint64_t *)at))
            return true;
    }
}

static bool list_is_readable(char *const list[], bool of_texts)
{
    for (; list; list++) {
        if (!byte_is_readable((uintptr_t)list) || !byte_is_readable((uintptr_t)(list + 1) - 1))
            return false;
        if (!*list)
            return true;
        if (of_texts && !lc_is_text(*list))
            return false;
    }
    return true;
}

bool lc_is_list(char *const list[])
{
    return list_is_readable(list, true);
}

bool lc_is_pointers(char *const list[])
{
    return list_is_readable(list, false);
}

bool lc_is_place(const void *at, size_t size)
{
    return byte_is_writable((uintptr_t)at) && byte_is_writable((uintptr_t)at + size - 1);
}
