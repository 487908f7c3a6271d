/* SPDX-License-Identifier: MIT */
/* refuse.h - a dlopen() of a whole path where nothing is fails as ld.so would have it fail, without
 * the disk being asked. Freestanding.
 *
 * An auditor that answers NULL to a whole path takes its name out of dlerror()'s text. So the
 * function by which ld.so itself gives up is called in its place, a moment earlier. It is private
 * to glibc, but shared by ld.so and libc and therefore exported: where libc has one, ld.so uses
 * that. */
#ifndef LC_AUDIT_REFUSE_H
#define LC_AUDIT_REFUSE_H

#include <link.h>
#include <stdbool.h>

/* 'audit': LD_AUDIT. Other auditors would not hear of the path: then nothing is refused. */
void lc_refuse_begin(const char *audit);

/* An object is there: it may be ld.so or libc. */
void lc_refuse_learn(const struct link_map *map);

/* The program runs. Before, ld.so may be about to list what is missing rather than to fail. */
void lc_refuse_started(void);

/* Nothing is at a path, for the reason 'error': can that be said without the disk? Then lc_refuse
 * does so, and does not return. Else ld.so is to find out. */
bool lc_refuse_can(const char *path, int error);
void lc_refuse(const char *path, int error);

#endif
