/* SPDX-License-Identifier: MIT */
/* new_environment.c - read and change the environment of a program before its first instruction */
#include "trace/new_environment.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include "trace/register_layout.h"

enum { WORD = 8, CHUNK = 4096, MOST = 16 << 20, ALIGNED = 16 };

/* The registers of a thread; only native ones are of use here. */
static int registers_get(pid_t tid, uint64_t word[LC_REGISTER_WORDS])
{
    struct iovec io = {word, LC_REGISTER_WORDS * sizeof(*word)};

    return ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io) == 0 &&
                   io.iov_len == LC_REGISTERS_HERE.words * sizeof(*word)
               ? 0
               : -1;
}

static int read_stack_pointer(pid_t tid, uint64_t *out)
{
    uint64_t word[LC_REGISTER_WORDS];

    if (registers_get(tid, word) < 0)
        return -1;
    *out = word[LC_REGISTERS_HERE.stack];
    return 0;
}

static int write_stack_pointer(pid_t tid, uint64_t to)
{
    uint64_t word[LC_REGISTER_WORDS];
    struct iovec io = {word, LC_REGISTERS_HERE.words * sizeof(*word)};

    if (registers_get(tid, word) < 0)
        return -1;
    word[LC_REGISTERS_HERE.stack] = to;
    return ptrace(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &io) < 0 ? -1 : 0;
}

static int write_memory(pid_t tid, uint64_t to, const void *from, size_t size)
{
    struct iovec local = {(void *)(uintptr_t)from, size};
    struct iovec remote = {(void *)(uintptr_t)to, size};

    return process_vm_writev(tid, &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -1;
}

static uint64_t word_at(const struct lc_new_environment *env, size_t i)
{
    uint64_t word;

    memcpy(&word, env->all.data + i * WORD, WORD);
    return word;
}

/* Make sure that word 'i' of the process's stack has been read. Reads to the end of its page, since
 * the next page may not be mapped. */
static int word_need(struct lc_new_environment *env, size_t i)
{
    char chunk[CHUNK];

    while (env->all.len < (i + 1) * WORD) {
        uint64_t from = env->stack + env->all.len;
        struct iovec local = {chunk, CHUNK - from % CHUNK};
        struct iovec remote = {(void *)(uintptr_t)from, local.iov_len};
        if (env->all.len > MOST ||
            process_vm_readv(env->tid, &local, 1, &remote, 1, 0) != (ssize_t)local.iov_len)
            return -1;
        lc_buf_add(&env->all, chunk, local.iov_len);
        if (env->all.failed)
            return -1;
    }
    return 0;
}

/* Read the words: argc, argv, NULL, the environment, NULL, pairs of the auxiliary vector up to
 * AT_NULL. */
static int read_words(struct lc_new_environment *env)
{
    if (word_need(env, 0) < 0 || word_at(env, 0) > MOST)
        return -1;
    size_t i = env->first = word_at(env, 0) + 2;
    for (; word_need(env, i) == 0 && word_at(env, i); i++)
        ;
    env->count = i - env->first;
    for (i++; word_need(env, i + 1) == 0 && word_at(env, i) != AT_NULL; i += 2)
        ;
    if (word_need(env, i + 1) < 0)
        return -1;
    env->all.len = (i + 2) * WORD;
    return 0;
}

static int read_block(struct lc_new_environment *env)
{
    char file[48], chunk[CHUNK];
    ssize_t n;

    snprintf(file, sizeof(file), "/proc/%d/environ", (int)env->tid);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
        lc_buf_add(&env->block, chunk, (size_t)n);
    if (fd >= 0)
        close(fd);
    lc_buf_add(&env->block, "", 1);
    return fd < 0 || env->block.failed ? -1 : 0;
}

/* Set the pointers to the variables' texts. 'block' is a copy of the memory that the first
 * variable's word points at. */
static int find_texts(struct lc_new_environment *env)
{
    env->text = calloc(env->count + 1, sizeof(char *));
    for (size_t i = 0; env->text && i < env->count; i++) {
        uint64_t offset = word_at(env, env->first + i) - word_at(env, env->first);
        if (offset >= env->block.len)
            return -1;
        env->text[i] = env->block.data + offset;
    }
    return env->text ? 0 : -1;
}

int lc_new_environment_read(struct lc_new_environment *env, pid_t tid)
{
    *env = (struct lc_new_environment){.tid = tid};
    if (read_stack_pointer(tid, &env->stack) == 0 && env->stack % WORD == 0 &&
        read_words(env) == 0 && read_block(env) == 0 && find_texts(env) == 0)
        return 0;
    lc_new_environment_free(env);
    return -1;
}

void lc_new_environment_free(struct lc_new_environment *env)
{
    lc_buf_free(&env->all);
    lc_buf_free(&env->block);
    free(env->text);
    env->text = NULL;
}

int lc_new_environment_overwrite(struct lc_new_environment *env, size_t at, const char *text)
{
    size_t n = strlen(text);

    if (at >= env->count || n > strlen(env->text[at]) ||
        write_memory(env->tid, word_at(env, env->first + at), text, n + 1) < 0)
        return -1;
    memcpy(env->text[at], text, n + 1);
    return 0;
}

/* Writes, below the present stack: all words again, with one that points at the new text, and
 * behind them the text. Then sets the stack pointer there. */
int lc_new_environment_put(struct lc_new_environment *env, size_t at, const char *text)
{
    size_t size = strlen(text) + 1, before = (env->first + at) * WORD;
    size_t after = at < env->count ? before + WORD : before;
    uint64_t place = env->stack - size;
    uint64_t stack = (place - env->all.len - WORD) & -(uint64_t)ALIGNED;
    struct lc_buf new = {0};
    int rc = -1;

    lc_buf_add(&new, env->all.data, before);
    lc_buf_add(&new, (const char *)&place, WORD);
    lc_buf_add(&new, env->all.data + after, env->all.len - after);
    if (!new.failed && write_memory(env->tid, place, text, size) == 0 &&
        write_memory(env->tid, stack, new.data, new.len) == 0)
        rc = write_stack_pointer(env->tid, stack);
    lc_buf_free(&new);
    return rc;
}
