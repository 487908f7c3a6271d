/* SPDX-License-Identifier: MIT */
/* record_loader.h - what the kernel and ld.so ask for a program's sake, noted by the recording
 * audit object where ptrace is forbidden. Freestanding. */
#ifndef LC_AUDIT_RECORD_LOADER_H
#define LC_AUDIT_RECORD_LOADER_H

/* The program has just been started: itself, by the name it was started by and by the kernel's, and
 * ld.so's own files. */
void lc_loader_started(const char *executable);

void lc_loader_tried(const char *path);  /* ld.so is about to open it, if it is there */
void lc_loader_mapped(const char *path); /* it was */

#endif
