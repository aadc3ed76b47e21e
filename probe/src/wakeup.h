// SPDX-License-Identifier: Apache-2.0
// The subcommand `wakeup`.
#pragma once

int wakeup_main(int argc, char **argv);
