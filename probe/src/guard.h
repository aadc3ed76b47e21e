// SPDX-License-Identifier: Apache-2.0
#pragma once

// `jitter-probe guard`: docs/guard.md has its options, its lines and its exit codes.
int guard_main(int argc, char **argv);
