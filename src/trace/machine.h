/* SPDX-License-Identifier: MIT */
/* machine.h - the kernel's name for the machine we are built for */
#ifndef LC_TRACE_MACHINE_H
#define LC_TRACE_MACHINE_H

#include <linux/audit.h>

#if defined(__x86_64__)
#define LC_NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define LC_NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "trace: add this machine's AUDIT_ARCH value"
#endif

#endif
