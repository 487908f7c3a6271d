/* SPDX-License-Identifier: MIT */
#include "util/io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/test.h"

enum { BYTES = 300000 }; /* more than a pipe holds */

static char sent[BYTES], got[BYTES];

static void reading_ends_with_the_file(void **state)
{
    int fd = memfd_create("io", MFD_CLOEXEC);

    (void)state;
    assert_int_equal(lc_write_at(fd, "abcdef", 6, 2), 0);
    assert_int_equal(lc_read_at(fd, got, 4, 3), 4);
    assert_memory_equal(got, "bcde", 4);
    assert_int_equal(lc_read_at(fd, got, 100, 3), 5);
    assert_int_equal(lc_read_at(fd, got, 100, 8), 0);
    assert_int_equal(lc_read_exactly(fd, got, 5, 3), 0);
    assert_int_equal(lc_read_exactly(fd, got, 6, 3), -1);
    assert_int_equal(errno, EIO);
    close(fd);
    assert_int_equal(lc_read_at(fd, got, 1, 0), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(lc_write_at(fd, got, 1, 0), -1);
    assert_int_equal(lc_write_all(fd, got, 1), -1);
}

static void *drain_slowly(void *fd)
{
    for (size_t done = 0; done < BYTES;) {
        ssize_t n = read(*(int *)fd, got + done, BYTES - done < 5000 ? BYTES - done : 5000);
        if (n <= 0)
            break;
        done += (size_t)n;
        usleep(100);
    }
    return NULL;
}

static void signal_count(int signal)
{
    (void)signal;
}

/* A timer signal without SA_RESTART interrupts writes. */
static void interrupted_writing_goes_on(void **state)
{
    struct sigaction act = {.sa_handler = signal_count};
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    int ends[2];
    pthread_t thread;
    sigset_t alarm;

    (void)state;
    for (size_t i = 0; i < BYTES; i++)
        sent[i] = (char)(i * 7 + i / 251);
    assert_int_equal(pipe(ends), 0);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    assert_int_equal(pthread_create(&thread, NULL, drain_slowly, &ends[0]), 0);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    int rc = lc_write_all(ends[1], sent, BYTES);
    setitimer(ITIMER_REAL, &never, NULL);
    close(ends[1]);
    pthread_join(thread, NULL);
    assert_int_equal(rc, 0);
    assert_memory_equal(sent, got, BYTES);
    close(ends[0]);
}

/* The file size limit makes the first write partial and the next one fail. */
static void what_does_not_fit_is_an_error(void **state)
{
    struct rlimit old, small;
    int fd = memfd_create("io", MFD_CLOEXEC);

    (void)state;
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){5, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int rc = lc_write_at(fd, "abcdefgh", 8, 0), code = errno;
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(rc, -1);
    assert_int_equal(code, EFBIG);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_ends_with_the_file),
        cmocka_unit_test(interrupted_writing_goes_on),
        cmocka_unit_test(what_does_not_fit_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
