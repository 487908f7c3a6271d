/* SPDX-License-Identifier: MIT */
/* machine_no_yaml.c - replaces machine_yaml.c in builds without libyaml */
#include <errno.h>

#include "predict/machine.h"

int lc_machine_parse(struct lc_machine_model *machine, const char *file, const char *text,
                     struct lc_error *err)
{
    (void)text;
    *machine = (struct lc_machine_model){.name = ""};
    errno = ENOSYS;
    return lc_error_set(
        err, "cannot read the machine '%s': this loadcast was built without libyaml", file);
}
