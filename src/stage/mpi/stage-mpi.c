/* SPDX-License-Identifier: MIT */
/* stage-mpi.c - moves an image from node to node, with one process on each node
 *
 * This is the part of 'loadcast stage' that depends on the MPI. To build it for another MPI:
 *
 *     mpicc -O2 -o stage-mpi stage-mpi.c
 *
 * Then use 'loadcast stage --helper ./stage-mpi'.
 *
 *     stage-mpi PACKAGE IMAGE [stager options]
 *     stage-mpi PACKAGE - WORD [ARGUMENT...]       bring the stager and run 'stager WORD ...'
 *
 * The first process reads PACKAGE (node-kit.tgz: the stager and the objects it stages) and
 * broadcasts it. Each process starts a stager from it; the first also starts one that reads the
 * image. Chunks go along a chain: each process passes a chunk on while the next one arrives and its
 * stager writes files, all without blocking, from memory that it shares with the stager (ring.h). A
 * tree would send each byte several times over one link. If a stager ends early, its node still
 * passes chunks on. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create; mpicc is called without options */
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"

enum { IDLE_TURNS = 4, TAG = 1, LAST_SECONDS = 2 };

/* A stager, and our ends of its pipes. */
struct child {
    pid_t pid;
    int in, out; /* to read from it, to write to it; -1: closed */
};

struct slot {
    int filled, len;
    int ready;              /* received, but not to be passed on yet */
    int by_stager, by_next; /* still used by the stager, by the send to the next node */
    MPI_Request request;    /* of the receive, then of the send */
};

static struct {
    MPI_Comm nodes; /* one process per node */
    int rank, size; /* in it */
    unsigned char *memory;
    int memory_fd;
    char dir[PATH_MAX]; /* where the package is unpacked */
    int unpacked;       /* there already, because the sender was started before MPI */
    char *package;      /* expanded before MPI was started, by the process that will be the first */
    long long package_len;
    struct child receiver, sender;
    struct slot slot[LC_RING_SLOTS];
    int queue[LC_RING_SLOTS];    /* slots to pass on, in the order of arrival */
    unsigned queued, sent, gone; /* counts: put into the queue, send begun, send completed */
    unsigned posted, arrived;    /* counts: receives posted, chunks received */
    int ended;                   /* the last chunk was received */
    int held;        /* LC_CHUNK_HELD was received: 1 waiting, 2 the verdict is coming */
    uint8_t verdict; /* enum lc_chunk_kind */
    MPI_Request verdict_request;
    int announced; /* the head: 0 no request yet, 1 under way, 2 it is coming */
    MPI_Request announcement;
    long long
        expected_until_ns; /* the first chunk of a stream should have come; 0: none expected */
    int need_bytes;        /* of the bit map; -1: not known yet */
    uint8_t *need, *all;   /* bit maps: this node's, the union */
    int need_len;          /* of this node's, in bytes */
    int need_said;         /* the stager has sent its bit map */
    int need_state;        /* of the union: 0 not begun, 1 under way, 2 done */
    MPI_Request need_request;
} me = {.need_bytes = -1, .package_len = -1, .receiver = {0, -1, -1}, .sender = {0, -1, -1}};

static int is_first(void)
{
    return me.rank == 0;
}
static int has_next(void)
{
    return me.rank + 1 < me.size;
}
static struct lc_chunk *slot_chunk(int i)
{
    return (struct lc_chunk *)(me.memory + (size_t)i * LC_RING_SLOT);
}

static void failure_report(const char *error)
{
    char host[256] = "?";

    gethostname(host, sizeof(host) - 1);
    printf("@loadcast {\"ok\":false,\"error\":\"%s\",\"host\":\"%s\"}\n", error, host);
    fflush(stdout);
}

/* --- children --------------------------------------------------------------------------------- */

/* fork is not safe here: libraries that an MPI loads for its network may abort the process in their
 * fork handlers (libfabric's EFA does), and pages that the network writes to could go to the child.
 * vfork calls no handlers and copies no pages; but 'prepare' runs in our memory and must not change
 * it. */
static pid_t child_spawn(void (*prepare)(const int *fds), const int *fds, const char *program,
                         char **argv)
{
    pid_t pid = vfork();

    if (pid == 0) {
        prepare(fds);
        execvp(program, argv);
        _exit(127);
    }
    return pid;
}

static int child_wait(pid_t pid)
{
    int status = -1;

    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* --- the node package ------------------------------------------------------------------------- */

static char *file_read(const char *path, long long *len)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *data = fd >= 0 && fstat(fd, &st) == 0 ? malloc((size_t)st.st_size + 1) : NULL;

    *len = -1;
    if (data) {
        long long got = 0;
        ssize_t n;
        while (got < st.st_size && (n = read(fd, data + got, (size_t)(st.st_size - got))) > 0)
            got += n;
        *len = got == st.st_size ? got : -1;
    }
    if (fd >= 0)
        close(fd);
    return data;
}

static void expand_to_pipe(const int *fds)
{
    dup2(fds[0], 0);
    dup2(fds[1], 1);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
}

/* Read to the end; NULL if that fails. */
static char *pipe_read_all(int fd, long long *len)
{
    size_t room = 4 << 20, n = 0;
    char *data = malloc(room);
    ssize_t got = data ? 1 : -1;

    while (got > 0) {
        if (n == room) {
            char *more = realloc(data, room *= 2);
            if (!more)
                break;
            data = more;
        }
        got = read(fd, data + n, room - n);
        n += got > 0 ? (size_t)got : 0;
    }
    *len = (long long)n;
    if (got == 0)
        return data;
    free(data);
    return NULL;
}

/* The package without its compression: expanded once here, not once on each node. NULL if gzip
 * cannot do it; then the package is sent as it is. */
static char *file_expand(const char *path, long long *len)
{
    char *gzip[] = {"gzip", "-dc", NULL}, *data = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC), p[2];

    if (fd >= 0 && pipe(p) == 0) {
        pid_t pid = child_spawn(expand_to_pipe, (int[]){fd, p[1]}, gzip[0], gzip);
        close(p[1]);
        data = pid > 0 ? pipe_read_all(p[0], len) : NULL;
        close(p[0]);
        if (child_wait(pid) != 0 && data) {
            free(data);
            data = NULL;
        }
    }
    if (fd >= 0)
        close(fd);
    return data;
}

static void read_from_pipe(const int *fds)
{
    int null = open("/dev/null", O_WRONLY); /* a failure is reported by us */

    dup2(fds[0], 0);
    dup2(null, 2);
    close(fds[0]);
    close(fds[1]);
}

/* The head of a file in a tar archive; numbers are octal text. Contents are filled up to blocks. */
enum { TAR_BLOCK = 512 };
struct tar_head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6];
    char rest[TAR_BLOCK - 263];
};

/* Write a file of the archive into me.dir. */
static int tar_file_write(const struct tar_head *h, const char *name, const char *data, size_t len)
{
    char path[PATH_MAX + 100];
    struct timespec times[2] = {{strtoll(h->mtime, NULL, 8), 0}, {strtoll(h->mtime, NULL, 8), 0}};

    if (snprintf(path, sizeof(path), "%s/%s", me.dir, name) >= (int)sizeof(path))
        return -1;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    for (size_t done = 0; fd >= 0 && done < len;) {
        ssize_t put = write(fd, data + done, len - done);
        if (put <= 0)
            break;
        done += (size_t)put;
        if (done == len && futimens(fd, times) == 0 &&
            fchmod(fd, (mode_t)strtol(h->mode, NULL, 8) & 0700) == 0)
            return close(fd);
    }
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    return -1;
}

/* tools/node-kit makes an archive of files without directories. -1: it is another one, or cannot be
 * written; then tar is asked, which says why. */
static int tar_unpack(const char *package, size_t len)
{
    struct tar_head h;

    for (size_t at = 0; at + sizeof(h) <= len;) {
        memcpy(&h, package + at, sizeof(h));
        at += sizeof(h);
        h.name[sizeof(h.name) - 1] = h.mtime[11] = h.size[11] = h.mode[7] = '\0';
        if (h.name[0] == '\0')
            return 0;
        const char *name = strncmp(h.name, "./", 2) == 0 ? h.name + 2 : h.name;
        size_t size = (size_t)strtoull(h.size, NULL, 8);
        if (memcmp(h.magic, "ustar", 5) != 0 || size > len - at || strchr(name, '/') ||
            (h.type != '0' && !(h.type == '5' && !*name)))
            return -1;
        if (h.type == '0' && tar_file_write(&h, name, package + at, size) < 0)
            return -1;
        at += (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    return -1;
}

/* Unpack in the directory that this program was unpacked in. */
static int package_unpack(const char *package, size_t len)
{
    int p[2];
    int is_compressed = len > 2 && memcmp(package, "\037\213", 2) == 0;
    char *tar[] = {"tar", is_compressed ? "xzf" : "xf", "-", "-C", me.dir, NULL};
    ssize_t n = readlink("/proc/self/exe", me.dir, sizeof(me.dir));

    if (n <= 0 || (size_t)n >= sizeof(me.dir))
        return -1;
    me.dir[n] = '\0';
    *strrchr(me.dir, '/') = '\0';
    if (!is_compressed && tar_unpack(package, len) == 0)
        return 0;
    if (pipe(p) < 0)
        return -1;
    pid_t pid = child_spawn(read_from_pipe, p, tar[0], tar);
    close(p[0]);
    for (size_t done = 0; pid > 0 && done < len;) {
        ssize_t put = write(p[1], package + done, len - done);
        if (put <= 0)
            break;
        done += (size_t)put;
    }
    close(p[1]);
    return child_wait(pid) == 0 ? 0 : -1;
}

/* Most MPIs wait by spinning, which takes the cores from the processes that are waited for. */
static void request_wait(MPI_Request *request)
{
    struct timespec nap = {0, LC_RING_NAP_NS};

    for (int done = 0;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        nanosleep(&nap, NULL);
        if (2 * nap.tv_nsec <= LC_RING_LONGEST_NAP_NS)
            nap.tv_nsec *= 2;
    }
}

static int package_share(const char *path)
{
    char *package = me.package;
    long long len = me.package_len;
    MPI_Request request;

    if (is_first() && !package && !(package = file_expand(path, &len)))
        package = file_read(path, &len);
    MPI_Ibcast(&len, 1, MPI_LONG_LONG, 0, me.nodes, &request);
    request_wait(&request);
    if (len > 0 && !is_first())
        package = malloc((size_t)len);
    if (len > 0 && package) {
        MPI_Ibcast(package, (int)len, MPI_BYTE, 0, me.nodes, &request);
        request_wait(&request);
    }
    if (me.unpacked)
        return 0;
    int rc = len > 0 && package ? package_unpack(package, (size_t)len) : -1;
    free(package);
    return rc;
}

/* --- stagers ---------------------------------------------------------------------------------- */

static void end_with_us(const int *fds)
{
    (void)fds;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/* Give the child the memory and two ends of pipes as descriptors 3 to 5, and no other of ours. */
static void give_ring(const int *fds)
{
    /* By way of high numbers, since 3 to 5 may be in use by the descriptors themselves. */
    int a = fcntl(fds[0], F_DUPFD, 100), b = fcntl(fds[1], F_DUPFD, 100),
        c = fcntl(fds[2], F_DUPFD, 100);

    end_with_us(NULL);
    dup2(a, LC_RING_FD);
    dup2(b, LC_RING_IN);
    dup2(c, LC_RING_OUT);
    for (int fd = LC_RING_OUT + 1; fd < 1024; fd++)
        close(fd);
}

static void stager_start(struct child *child, const char *word, char **options, const char *image)
{
    int to[2], from[2];
    char path[PATH_MAX + 16], *argv[64] = {path, (char *)(uintptr_t)word};
    int n = 2;

    snprintf(path, sizeof(path), "%s/stager", me.dir);
    for (; *options && n < 60; options++)
        argv[n++] = *options;
    argv[n++] = (char *)(uintptr_t)image;
    argv[n] = NULL;
    if (pipe(to) < 0 || pipe(from) < 0)
        return;
    child->pid = child_spawn(give_ring, (int[]){me.memory_fd, to[0], from[1]}, path, argv);
    close(to[0]);
    close(from[1]);
    fcntl(to[1], F_SETFD, FD_CLOEXEC);
    fcntl(from[0], F_SETFD, FD_CLOEXEC);
    child->out = to[1];
    child->in = from[0];
}

static void stager_close(struct child *child)
{
    if (child->in >= 0)
        close(child->in);
    if (child->out >= 0)
        close(child->out);
    child->in = child->out = -1;
    for (int i = 0; child == &me.receiver && i < LC_RING_SLOTS; i++)
        me.slot[i].by_stager = 0;
}

/* If the stager has closed its end, its last messages may still be in the other pipe: only the
 * writing end is closed. */
static void message_send(struct child *child, uint32_t type, uint32_t slot, uint32_t len,
                         const void *payload)
{
    struct lc_ring_message m = {type, slot, len, 0};

    if (child->out < 0)
        return;
    if (write(child->out, &m, sizeof(m)) == sizeof(m) &&
        (!payload || len == 0 || write(child->out, payload, len) == (ssize_t)len))
        return;
    close(child->out);
    child->out = -1;
}

static int pipe_read(int fd, void *out, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = read(fd, (char *)out + done, len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}

/* --- waiting ---------------------------------------------------------------------------------- */

static long long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* All nodes know that a stream begins: the first node's chunk takes a hop for each node before us.
 */
static void stream_expect(void)
{
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); /* the usual 50 us are as long as a nap */
    me.expected_until_ns =
        now_ns() + LC_RING_EXPECT_NS + (long long)me.rank * LC_RING_EXPECT_HOP_NS;
}

static void stream_flows(void)
{
    if (me.expected_until_ns != 0)
        prctl(PR_SET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL); /* the usual one */
    me.expected_until_ns = 0;
}

/* The first node calls it when it has the first chunk of the head, the others before that. */
static void head_announce(void)
{
    static char nothing;

    MPI_Ibcast(&nothing, 1, MPI_BYTE, 0, me.nodes, &me.announcement);
    me.announced = 1;
}

static int announcement_take(void)
{
    int done = 0;

    if (me.announced == 1)
        MPI_Test(&me.announcement, &done, MPI_STATUS_IGNORE);
    if (!done)
        return 0;
    me.announced = 2;
    if (me.arrived == 0)
        stream_expect();
    return 1;
}

/* Sleep for a nap: MPI offers nothing to wait for that would not spin. What all nodes wait for, a
 * chunk of the sender and this node's bit map, ends it early; slots that become free do not.
 * Returns the length of the next nap: the second is as short as the first, since a chunk on a fast
 * link takes somewhat longer than one. */
static long nap_take(long nap_ns, int is_first_nap)
{
    struct pollfd p[] = {{me.sender.in, POLLIN, 0},
                         {me.need_said ? -1 : me.receiver.in, POLLIN, 0}};

    ppoll(p, 2, &(struct timespec){0, nap_ns}, NULL);
    if (is_first_nap || 2 * nap_ns > LC_RING_LONGEST_NAP_NS || now_ns() < me.expected_until_ns)
        return nap_ns;
    return 2 * nap_ns;
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* Another image comes instead: nodes will say anew what they lack. */
static void needs_forget(void)
{
    free(me.need);
    free(me.all);
    me.need = me.all = NULL;
    me.need_bytes = -1;
    me.need_said = me.need_state = 0;
}

static void verdict_request(void)
{
    MPI_Ibcast(&me.verdict, 1, MPI_BYTE, 0, me.nodes, &me.verdict_request);
    me.held = 2;
}

/* What the sender says after LC_CHUNK_HELD does not go along the chain. */
static void verdict_give(int i, uint32_t kind)
{
    me.verdict = (uint8_t)kind;
    verdict_request();
    if (i >= 0)
        message_send(&me.sender, LC_RING_FREE, (uint32_t)i, 0, NULL);
}

static int verdict_take(void)
{
    int done = 0;

    if (me.held == 2)
        MPI_Test(&me.verdict_request, &done, MPI_STATUS_IGNORE);
    if (!done)
        return 0;
    me.held = 0;
    me.ended = me.verdict != LC_CHUNK_AGAIN;
    message_send(&me.receiver, LC_RING_VERDICT, me.verdict, 0, NULL);
    if (!me.ended) {
        needs_forget();
        stream_expect();
    }
    return 1;
}

/* A chunk is in slot i: give it to the stager, and queue it for the next node. */
static void chunk_arrive(int i, int len)
{
    const struct lc_chunk *c = slot_chunk(i);

    if (me.held) {
        verdict_give(i, c->kind);
        return;
    }
    me.slot[i].filled = 1;
    me.slot[i].len = len;
    me.arrived++;
    stream_flows();
    if (is_first() && me.announced == 0)
        head_announce();
    if (c->kind == LC_CHUNK_AGAIN)
        needs_forget();
    else if (me.need_bytes < 0)
        me.need_bytes = (int)c->need_bytes;
    me.ended = c->kind == LC_CHUNK_END || c->kind == LC_CHUNK_FAILED;
    me.held = c->kind == LC_CHUNK_HELD;
    if (me.held && !is_first())
        verdict_request();
    me.slot[i].by_stager = me.receiver.out >= 0;
    message_send(&me.receiver, LC_RING_FILLED, (uint32_t)i, (uint32_t)len, NULL);
    if (has_next()) {
        me.queue[me.queued++ % LC_RING_SLOTS] = i;
        me.slot[i].by_next = 1;
    }
}

static int chunks_pass_on(void)
{
    int did = 0, done = 1;

    while (me.gone < me.sent && done) {
        struct slot *s = &me.slot[me.queue[me.gone % LC_RING_SLOTS]];
        MPI_Test(&s->request, &done, MPI_STATUS_IGNORE);
        s->by_next = !done;
        me.gone += (unsigned)done;
        did |= done;
    }
    for (; me.sent < me.queued && me.sent - me.gone < LC_RING_SENDS; me.sent++, did = 1) {
        int i = me.queue[me.sent % LC_RING_SLOTS];
        MPI_Isend(slot_chunk(i), me.slot[i].len, MPI_BYTE, me.rank + 1, TAG, me.nodes,
                  &me.slot[i].request);
    }
    return did;
}

/* Reuse free slots: on the first node by the sending stager, elsewhere for the next receive. */
static int slots_recycle(void)
{
    int did = 0;

    for (int i = 0; i < LC_RING_SLOTS; i++) {
        struct slot *s = &me.slot[i];
        if (!s->filled || s->by_stager || s->by_next)
            continue;
        s->filled = 0;
        did = 1;
        if (is_first())
            message_send(&me.sender, LC_RING_FREE, (uint32_t)i, 0, NULL);
    }
    return did;
}

static int slot_has_arrived(struct slot *s)
{
    MPI_Status status;

    if (!s->ready)
        MPI_Test(&s->request, &s->ready, &status);
    else
        return 1;
    if (s->ready)
        MPI_Get_count(&status, MPI_BYTE, &s->len);
    return s->ready;
}

/* Content may arrive before this process has the union of all bit maps. */
static int chunk_is_early(const struct lc_chunk *c)
{
    return me.need_state != 2 && c->kind != LC_CHUNK_HEAD && c->kind != LC_CHUNK_FAILED;
}

/* Receives are posted in the order of the slots, so chunks arrive in that order. */
static int chunks_receive(void)
{
    int did = 0;

    if (is_first())
        return 0;
    while (!me.ended && me.posted - me.arrived < LC_RING_SLOTS) {
        int i = (int)(me.posted % LC_RING_SLOTS);
        if (me.slot[i].filled)
            break;
        MPI_Irecv(slot_chunk(i), LC_RING_SLOT, MPI_BYTE, me.rank - 1, TAG, me.nodes,
                  &me.slot[i].request);
        me.posted++;
    }
    for (int i; me.arrived < me.posted && !me.ended && !me.held; did = 1) {
        i = (int)(me.arrived % LC_RING_SLOTS);
        if (!slot_has_arrived(&me.slot[i]) || chunk_is_early(slot_chunk(i)))
            break;
        me.slot[i].ready = 0;
        chunk_arrive(i, me.slot[i].len);
    }
    return did;
}

/* The sending stager has ended too early: tell all nodes. */
static void stream_break_off(void)
{
    int i = 0;

    if (me.held == 1)
        verdict_give(-1, LC_CHUNK_FAILED);
    while (i < LC_RING_SLOTS && me.slot[i].filled)
        i++;
    if (i == LC_RING_SLOTS || me.held)
        return; /* tried again in the next turn */
    *slot_chunk(i) = (struct lc_chunk){
        .kind = LC_CHUNK_FAILED, .need_bytes = me.need_bytes < 0 ? 0 : (uint32_t)me.need_bytes};
    chunk_arrive(i, sizeof(struct lc_chunk));
}

static void message_take(struct child *child)
{
    struct lc_ring_message m;

    if (pipe_read(child->in, &m, sizeof(m)) < 0) {
        stager_close(child);
    } else if (m.type == LC_RING_NEED) {
        free(me.need);
        me.need = calloc(m.len + 1, 1);
        if (!me.need || pipe_read(child->in, me.need, m.len) < 0)
            stager_close(child);
        me.need_len = (int)m.len;
        me.need_said = 1;
    } else if (m.slot < LC_RING_SLOTS && m.type == LC_RING_FILLED && m.len <= LC_RING_SLOT) {
        chunk_arrive((int)m.slot, (int)m.len);
    } else if (m.slot < LC_RING_SLOTS && m.type == LC_RING_FREE) {
        me.slot[m.slot].by_stager = 0;
    }
}

static int stager_listen(struct child *child)
{
    int did = 0;

    for (struct pollfd p = {child->in, POLLIN, 0}; child->in >= 0 && poll(&p, 1, 0) > 0; did = 1) {
        if (child == &me.sender && me.held == 2)
            break; /* what it sends now belongs behind the verdict */
        message_take(child);
    }
    return did;
}

/* Form the union of the bit maps of all nodes. A node without a stager requests no content. */
static int needs_agree(void)
{
    int done = 0;

    if (me.need_state == 0 && me.need_bytes >= 0 && (me.need_said || me.receiver.in < 0)) {
        if (!me.need ||
            me.need_len !=
                me.need_bytes) { /* the stager ended before it knew the size of the map */
            free(me.need);
            me.need = calloc((size_t)me.need_bytes + 1, 1);
        }
        me.all = calloc((size_t)me.need_bytes + 1, 1);
        MPI_Iallreduce(me.need, me.all, me.need_bytes, MPI_BYTE, MPI_BOR, me.nodes,
                       &me.need_request);
        me.need_state = 1;
    }
    if (me.need_state == 1)
        MPI_Test(&me.need_request, &done, MPI_STATUS_IGNORE);
    if (!done)
        return 0;
    me.need_state = 2;
    stream_expect();
    message_send(&me.receiver, LC_RING_NEED, 0, (uint32_t)me.need_bytes, me.all);
    message_send(&me.sender, LC_RING_NEED, 0, (uint32_t)me.need_bytes, me.all);
    return 1;
}

static int is_busy(void)
{
    for (int i = 0; i < LC_RING_SLOTS; i++)
        if (me.slot[i].filled)
            return 1;
    return !me.ended || me.need_state != 2 || me.announced != 2;
}

static void move_chunks(void)
{
    long nap_ns = LC_RING_NAP_NS;

    if (!is_first())
        head_announce();
    for (int i = 0; is_first() && i < LC_RING_SLOTS; i++)
        message_send(&me.sender, LC_RING_FREE, (uint32_t)i, 0, NULL);
    for (int idle = 0; is_busy();) {
        int did = stager_listen(&me.sender) | announcement_take() | chunks_receive() |
                  chunks_pass_on() | stager_listen(&me.receiver) | needs_agree() | verdict_take() |
                  slots_recycle();
        if (is_first() && me.sender.in < 0 && !me.ended)
            stream_break_off();
        idle = did ? 0 : idle + 1;
        if (did)
            nap_ns = LC_RING_NAP_NS;
        if (idle > IDLE_TURNS)
            nap_ns = nap_take(nap_ns, idle == IDLE_TURNS + 1);
    }
    for (; me.arrived < me.posted; me.arrived++) {
        int i = (int)(me.arrived % LC_RING_SLOTS);
        MPI_Cancel(&me.slot[i].request);
        MPI_Wait(&me.slot[i].request, MPI_STATUS_IGNORE);
    }
}

static void stager_wait(struct child *child)
{
    stager_close(child);
    int status = child_wait(child->pid);
    if (child == &me.receiver && child->pid > 0 && (WIFSIGNALED(status) || WEXITSTATUS(status) > 1))
        failure_report("the stager ended before its time");
    child->pid = 0;
}

static void run_stager(char **words)
{
    char path[PATH_MAX + 16];

    snprintf(path, sizeof(path), "%s/stager", me.dir);
    words[-1] = path;
    child_wait(child_spawn(end_with_us, NULL, path, words - 1));
}

static int ring_share(void)
{
    size_t size = (size_t)LC_RING_SLOTS * LC_RING_SLOT;

    me.memory_fd = memfd_create("ring", MFD_CLOEXEC);
    if (me.memory_fd < 0 || ftruncate(me.memory_fd, (off_t)size) < 0)
        return -1;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, me.memory_fd, 0);
    me.memory = at == MAP_FAILED ? NULL : at;
    return me.memory ? 0 : -1;
}

/* If several processes were started on a node, only the first takes part. */
static int nodes_join(void)
{
    MPI_Comm node;
    int local;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    MPI_Comm_split(MPI_COMM_WORLD, local == 0 ? 0 : MPI_UNDEFINED, 0, &me.nodes);
    MPI_Comm_free(&node);
    if (local != 0)
        return 0;
    MPI_Comm_rank(me.nodes, &me.rank);
    MPI_Comm_size(me.nodes, &me.size);
    return 1;
}

/* The number of processes by the launcher's variables; 0: unknown. */
static int processes_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    const char *text = NULL;

    for (int i = 0; i < 3 && !text; i++)
        text = getenv(names[i]);
    return text ? (int)strtol(text, NULL, 10) : 0;
}

/* Will this process be the first, by the launcher's variables? */
static int is_first_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    const char *text = NULL;

    for (int i = 0; i < 3 && !text; i++)
        text = getenv(names[i]);
    return text && strcmp(text, "0") == 0;
}

/* Under the launcher of another MPI each process is alone in MPI_COMM_WORLD, and each would read
 * the image. */
static int is_alone_by_mistake(void)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size == 1 && processes_launched() > 1;
}

/* Before MPI is started, by the process that will be the first: it reads the image meanwhile. */
static void sender_begin(char **argv)
{
    me.package = file_expand(argv[1], &me.package_len);
    if (strcmp(argv[2], "-") == 0 || !me.package || ring_share() < 0 ||
        package_unpack(me.package, (size_t)me.package_len) < 0)
        return;
    me.unpacked = 1;
    stager_start(&me.sender, "send", argv + 3, argv[2]);
}

static void sender_end(void)
{
    if (me.sender.pid > 0)
        kill(me.sender.pid, SIGTERM);
    stager_wait(&me.sender);
}

static void image_stage(char **argv)
{
    if (is_first()) {
        printf("@loadcast ! %d\n", me.size);
        fflush(stdout);
    }
    int bad = !me.memory && ring_share() < 0;
    bad |= package_share(argv[1]) < 0;
    if (bad)
        failure_report("cannot unpack what came for the stager");
    int stages = strcmp(argv[2], "-") != 0;
    if (!bad && !stages)
        run_stager(argv + 3);
    if (!bad && stages)
        stager_start(&me.receiver, "receive", argv + 3, NULL);
    if (is_first() && !bad && stages && me.sender.pid == 0)
        stager_start(&me.sender, "send", argv + 3, argv[2]);
    if (!is_first())
        sender_end(); /* was not to be expected by the launcher's variables */
    if (stages && me.memory)
        move_chunks();
    stager_wait(&me.receiver);
    stager_wait(&me.sender);
}

/* Has this node a network that MPI reaches by other ways than TCP? */
static int has_fast_network(void)
{
    static const char *const classes[] = {"/sys/class/infiniband", "/sys/class/cxi",
                                          "/sys/class/bxi", "/sys/class/gni",
                                          "/sys/class/infinipath"};
    int found = 0;

    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes) && !found; i++) {
        DIR *dir = opendir(classes[i]);
        for (struct dirent *e; dir && !found && (e = readdir(dir));)
            found = e->d_name[0] != '.';
        if (dir)
            closedir(dir);
    }
    return found;
}

/* Where there is nothing but TCP, Open MPI need not load its drivers for other networks. What it
 * would not find is left out by name, which is no fault where it is unknown. */
static void mpi_configure_tcp(void)
{
    if (!getenv("OMPI_MCA_mtl"))
        setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("OMPI_MCA_btl", "^ofi,openib,uct,usnic", 0);
    setenv("OMPI_MCA_osc", "^monitoring,rdma,ucx", 0);
    setenv("OMPI_MCA_coll", "^adapt,han,monitoring,sync", 0);
}

/* Over TCP, Open MPI copies the first 192 KiB of a long message through its own buffers. These
 * variables avoid that. hwloc need not look for devices: it loads X11 and OpenCL, and each read of
 * a device's configuration is slow on a virtual machine. Values that the user has set are kept. */
static void mpi_configure(void)
{
    if (!has_fast_network())
        mpi_configure_tcp();
    setenv("HWLOC_PLUGINS_PATH", "/", 0);
    setenv("HWLOC_COMPONENTS", "-linux:pci,-linux:io,-pci", 0);
    setenv("OMPI_MCA_btl_tcp_rndv_eager_limit", "4096", 0);
    setenv("OMPI_MCA_btl_tcp_rdma_pipeline_send_length", "4096", 0);
    setenv("OMPI_MCA_btl_tcp_min_rdma_pipeline_size", "8192", 0);
}

/* An MPI's messages to its launcher are short, and over TCP the second of two waits 40 ms for the
 * first to be acknowledged: PMIx's at the end did so. */
static void sockets_hurry(void)
{
    for (int fd = 3, on = 1; fd < 256; fd++)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* Remove the directory that this program and the package were unpacked in, if the script has made
 * it (launch/scripts/unpack_package.sh). What is left is removed by the script. */
static void package_remove(void)
{
    const char *name = strrchr(me.dir, '/');
    DIR *dir = name && strncmp(name, "/.loadcast-kit.", 15) == 0 ? opendir(me.dir) : NULL;

    for (struct dirent *e; dir && (e = readdir(dir));)
        unlinkat(dirfd(dir), e->d_name, 0);
    if (dir && closedir(dir) == 0)
        rmdir(me.dir);
}

static void process_leave(int number)
{
    (void)number;
    _exit(0);
}

int main(int argc, char **argv)
{
    MPI_Request end;

    if (getenv("LD_TRACE_LOADED_OBJECTS"))
        return 0; /* asked for its libraries (run_from_package.sh); a static program has none */
    if (argc < 3) {
        fprintf(stderr, "usage: stage-mpi KIT IMAGE [stager options]\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    mpi_configure();
    if (is_first_launched())
        sender_begin(argv);
    MPI_Init(&argc, &argv);
    unsetenv("LD_LIBRARY_PATH"); /* may lead the stager to the shared file system */
    if (is_alone_by_mistake())
        failure_report(
            "this stage-mpi is of another MPI than the launcher; try --helper or --via fs");
    else if (nodes_join())
        image_stage(argv);
    sender_end(); /* if it was begun in vain */
    package_remove();
    MPI_Ibarrier(MPI_COMM_WORLD, &end); /* all are done; some MPIs hang in MPI_Finalize */
    request_wait(&end);
    signal(SIGALRM, process_leave);
    alarm(LAST_SECONDS);
    sockets_hurry();
    MPI_Finalize();
    return 0;
}
