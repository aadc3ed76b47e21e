// SPDX-License-Identifier: Apache-2.0
/* The subcommand `clock`: what clocks there are, and what a sample costs, as JSON. */
#ifndef CLOCKINFO_H
#define CLOCKINFO_H

int clockinfo_main(int argc, char **argv);

#endif
