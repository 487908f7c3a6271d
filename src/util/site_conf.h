/* SPDX-License-Identifier: MIT */
/* site_conf.h - defaults of a site: loadcast.conf
 *
 * Lines "name = value"; loadcast.conf(5) describes them. The first file of these is read:
 * $LOADCAST_CONF, PREFIX/etc/loadcast.conf of this installation, /etc/loadcast.conf. Ranks do not
 * read it. */
#ifndef LC_UTIL_SITE_CONF_H
#define LC_UTIL_SITE_CONF_H

#include <limits.h>
#include <stdbool.h>

#include "util/buf.h"

enum { LC_SITE_CONF_PROGRAMS = 64 };

struct lc_site_conf {
    char file[PATH_MAX]; /* that was read, or refused; "": there is none */
    bool off;            /* launch lines run as if Loadcast were not there */
    bool quiet;
    bool no_learn; /* what ranks still ask is not added to images */
    bool no_watch; /* lines without an image are not watched, unless the user asks for it */
    char *off_for[LC_SITE_CONF_PROGRAMS]; /* the same for programs with these names: patterns */
    int off_fors;
    char *dir;                /* as --dir; NULL: not given */
    char *via;                /* as --via; NULL: not given */
    double wait_s;            /* as --wait; 0: not given */
    double store_cap_bytes;   /* 0: not given */
    struct lc_buf complaints; /* about the file, each a line; what is wrong is not used */
};

/* The site's defaults, read by the first call; valid until the process ends. */
const struct lc_site_conf *lc_site_conf(void);

/* Is the program, by the last part of its path, one that runs without Loadcast at this site? */
bool lc_site_conf_is_off_for(const struct lc_site_conf *conf, const char *program);

#endif
