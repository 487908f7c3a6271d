/* SPDX-License-Identifier: MIT */
/* hub.h - one object that needs what many modules need, so that each of them needs only it.
 * Freestanding; called with ld.so's lock held.
 *
 * A module that is opened when all it needs is there still makes ld.so compare each needed name
 * with the names of all objects. Its edges cannot just be hidden: by them ld.so sorts for
 * finalisation and knows what must not be unloaded. So the preload makes a hub, an object without
 * code, symbols or initialisers that needs what one such module, the model, needs, and opens it by
 * itself: ld.so gives it the complete lists of the model. Modules that need the same then show
 * ld.so the hub as the one thing they need, and the hub shows it nothing more. What a module
 * reaches, it reaches by way of the hub: order and unloading are as ever. Only searches that begin
 * at the module end at the hub; the preload's dlsym goes on from there. */
#ifndef LC_CLIENT_BINDINGS_HUB_H
#define LC_CLIENT_BINDINGS_HUB_H

#include "client/bindings/apply.h"
#include "client/bindings/dlopens.h"

/* What is being loaded. */
struct lc_hub_case {
    const struct lc_bind_group *group;
    const struct lc_dlopen *call;
    const uint8_t *is_settled; /* per object: nothing in it will look for symbols of modules */
};

/* Is there nothing among what the group found that will still look for symbols? Loading a module
 * makes its own visible to what it needs, and by what ld.so finds it may note dependencies. */
bool lc_hub_are_settled(const struct lc_apply *a, const struct lc_hub_case *c);

/* Give the pending object a hub, or make it the model of one. How many names were hidden. */
uint32_t lc_hub_lean(struct lc_apply *a, struct lc_notes *notes, const struct lc_hub_case *c);

/* Put back what the object needs. */
void lc_hub_restore(struct lc_pending *p);

/* Is this object a hub? Then it is nobody else's business. */
bool lc_hub_opened(const struct link_map *map);
void lc_hub_closed(const struct link_map *map);

#endif
