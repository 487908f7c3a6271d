/* SPDX-License-Identifier: MIT */
/* test.h - cmocka, with the headers that it needs before it */
#ifndef LC_UTIL_TEST_H
#define LC_UTIL_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#endif
