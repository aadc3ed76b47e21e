# SPDX-License-Identifier: Apache-2.0
"""Analysis: what the counts and the series of a recording say, and how surely. Pure functions, no files."""
