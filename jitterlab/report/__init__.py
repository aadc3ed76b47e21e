# SPDX-License-Identifier: Apache-2.0
"""What a user sees of a recording: figures and tables as data, and what turns them into pages and text."""
