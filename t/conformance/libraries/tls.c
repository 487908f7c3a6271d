/* SPDX-License-Identifier: MIT */
/* tls.c - thread-local storage in a library that is opened late; static: a surplus that just fits
 */
#ifdef STATIC_TLS
static __thread char room[256];
#else
static __thread char room[100000];
#endif
static __thread int count = 40;

int next_count(void);

int next_count(void)
{
    room[count] = 1;
    return ++count + room[1];
}
