/* SPDX-License-Identifier: MIT */
/* arch.h - what differs between architectures in the user's process and in the launcher: one small
 * header for each. Freestanding. */
#ifndef LC_NODE_ARCH_H
#define LC_NODE_ARCH_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "node/reloc_kind.h"

#if defined(__x86_64__)
#include "node/arch_x86_64.h"
#elif defined(__aarch64__)
#include "node/arch_aarch64.h"
#else
#error "add arch_NAME.h for this architecture"
#endif

#endif
