// SPDX-License-Identifier: Apache-2.0
/* The subcommand `wakeup`. */
#ifndef WAKEUP_H
#define WAKEUP_H

int wakeup_main(int argc, char **argv);

#endif
