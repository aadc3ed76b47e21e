# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: side by side in one run, ratios printed. `make bench` runs them all."""
