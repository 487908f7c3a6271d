/* SPDX-License-Identifier: MIT */
/* readable.c - may a pointer of the program's be followed? See readable.h */
#include "client/preload/readable.h"

#include <stdint.h>

#include "client/preload/ask.h"
#include "node/syscall.h"

enum { PAGE = 4096, KNOWN = 256, EFAULT_ = 14 };

static uintptr_t readable[KNOWN], writable[KNOWN]; /* page numbers; 0: none */

struct vector { /* struct iovec */
    void *at;
    size_t size;
};

/* A byte of this process through the kernel; false if it is out of reach. Where the call is
 * forbidden nothing can be told, and all is in reach. */
static bool move_byte(long call, char *byte, uintptr_t there)
{
    struct vector ours = {byte, 1}, theirs = {(void *)there, 1};
    long self = LC_SYS3(__NR_getpid, 0, 0, 0);

    return lc_sys6(call, self, (long)&ours, 1, (long)&theirs, 1, 0) != -EFAULT_;
}

static uintptr_t *place_of(uintptr_t *known, uintptr_t page)
{
    return &known[(page ^ page >> 8) % KNOWN];
}

static bool is_known(uintptr_t *known, uintptr_t page)
{
    return __atomic_load_n(place_of(known, page), __ATOMIC_RELAXED) == page && page;
}

static void remember(uintptr_t *known, uintptr_t page)
{
    __atomic_store_n(place_of(known, page), page, __ATOMIC_RELAXED);
}

static bool can_read(uintptr_t at)
{
    char byte;

    if (is_known(readable, at / PAGE) || !lc_client_node()) /* or it may make no calls of ours */
        return true;
    if (!move_byte(__NR_process_vm_readv, &byte, at))
        return false;
    remember(readable, at / PAGE);
    return true;
}

static bool can_write(uintptr_t at)
{
    char byte = 0;

    if (is_known(writable, at / PAGE) || !lc_client_node())
        return true;
    if (!move_byte(__NR_process_vm_readv, &byte, at) ||
        !move_byte(__NR_process_vm_writev, &byte, at))
        return false;
    remember(writable, at / PAGE);
    return true;
}

static bool has_nul(uint64_t word)
{
    return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

/* By whole words once aligned: none reaches into another page. */
bool lc_is_text(const char *text)
{
    uintptr_t at = (uintptr_t)text;

    if (!can_read(at))
        return false;
    for (; at % 8; at++)
        if (!*(const char *)at)
            return true;
    for (;; at += 8) {
        if (at % PAGE == 0 && !can_read(at))
            return false;
        if (has_nul(*(const volatile uint64_t *)at))
            return true;
    }
}

static bool is_list(char *const list[], bool of_texts)
{
    for (; list; list++) {
        if (!can_read((uintptr_t)list) || !can_read((uintptr_t)(list + 1) - 1))
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
    return is_list(list, true);
}

bool lc_is_pointers(char *const list[])
{
    return is_list(list, false);
}

bool lc_is_place(const void *at, size_t size)
{
    return can_write((uintptr_t)at) && can_write((uintptr_t)at + size - 1);
}
