/* SPDX-License-Identifier: MIT */
/* watch_line.h - a launch line without an image: it runs as it is, and its first ranks are watched
 *
 * The first ranks are started through 'loadcast --watched-rank HOW PROGRAM ...'. HOW is compact
 * JSON:
 *   {"store": DIR, "key": TEXT, "name": LABEL, "parts": [...], "ranks": N, "dir": DIR, "manage":
 * [...]} with the parts of the key of the line's image (store/key.h) and the nodes' directory as
 * the user gave it. */
#ifndef LC_LAUNCH_WATCH_LINE_H
#define LC_LAUNCH_WATCH_LINE_H

#define LC_WATCHED_RANK "--watched-rank"

#endif
