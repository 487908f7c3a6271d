/* SPDX-License-Identifier: MIT */
/* simulate.h - the chain of stage-mpi on SimGrid's simulated MPI, beside the analytic model */
#ifndef LC_PREDICT_SIMULATE_H
#define LC_PREDICT_SIMULATE_H

#include "predict/predict.h"

/* Widths outside of this are not simulated: fewer nodes make no chain, more take hours. */
enum { LC_SIMULATE_LEAST_NODES = 2, LC_SIMULATE_MOST_NODES = 16384 };

/* Fills simulated_s of every width that has so many nodes, and 'simulation' with a sentence where
 * model and simulation differ by more than 15 %, or why there is no simulation (SimGrid was not
 * there at build time, or is not there now). A simulation that fails is such a reason. */
void lc_simulate(struct lc_prediction *prediction);

#endif
