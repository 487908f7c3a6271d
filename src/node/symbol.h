/* SPDX-License-Identifier: MIT */
/* symbol.h - look up a symbol in one loaded object, by the object's own hash table. Freestanding.
 *
 * Works before the C library is relocated, and for programs whose C library has no dlsym. */
#ifndef LC_NODE_SYMBOL_H
#define LC_NODE_SYMBOL_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct lc_symbol {
    const ElfW(Sym) * entry; /* in the object's symbol table */
    uint16_t version; /* its DT_VERSYM value; 1 (unversioned) if the object has no versions */
};

/* The object's definition of a function or variable, the default version if there are several.
 * False if it defines none. */
bool lc_symbol_find(const struct link_map *map, const char *name, struct lc_symbol *out);

/* The address of a symbol, or NULL. An indirect function is not resolved. */
void *lc_symbol_address(const struct link_map *map, const char *name);

#endif
