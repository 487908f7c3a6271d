/* SPDX-License-Identifier: MIT */
/* record_loader.h - what the kernel and ld.so ask for a program's sake, noted by the recording
 * audit object where ptrace is forbidden. Freestanding. */
#ifndef LC_AUDIT_RECORD_LOADER_H
#define LC_AUDIT_RECORD_LOADER_H

/* The program has just been started: itself, by the name it was started by and by the kernel's, and
 * ld.so's own files. */
void lc_loader_started(const char *executable);

/* ld.so has tried to open it, also to learn that it is loaded already, by another name. */
void lc_loader_tried(const char *path, long result);
void lc_loader_mapped(const char *path); /* it has mapped it */

#endif
