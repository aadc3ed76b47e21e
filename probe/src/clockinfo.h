// SPDX-License-Identifier: Apache-2.0
// The subcommand `clock`: what clocks there are, and what a sample costs, as JSON.
#pragma once

int clockinfo_main(int argc, char **argv);
