/* SPDX-License-Identifier: MIT */
/* presets.h - private to src/predict: the files of machines/, made by util/embed.c */
#ifndef LC_PREDICT_PRESETS_H
#define LC_PREDICT_PRESETS_H

#include "util/embedded.h"

extern const struct lc_embedded lc_machine_files[]; /* ends with a zeroed entry */

#endif
