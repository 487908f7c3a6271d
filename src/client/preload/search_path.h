/* SPDX-License-Identifier: MIT */
/* search_path.h - the directories in which ld.so searches for libraries, told to the auditor */
#ifndef LC_PRELOAD_SEARCH_PATH_H
#define LC_PRELOAD_SEARCH_PATH_H

#include "node/dlopen_notes.h"

/* Ask ld.so by dlinfo(3) where it searches for what the program itself needs, once, and leave the
 * answer in the notes: among these are the default directories, which no auditor is told. Not while
 * ld.so is at work. */
void lc_search_path_learn(struct lc_dlopen_notes *notes);

#endif
