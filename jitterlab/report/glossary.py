# SPDX-License-Identifier: Apache-2.0
"""How to read a report: its words, and what they mean."""

ANOVA = (
    "Every row is a factor or an interaction. Beside each other stand the test that takes every sample as "
    "independent, as papers print it, and the one that takes every run as one observation. Where they "
    "differ, believe the runs. Jitter is analysed by the distance of samples from the median of their cell "
    "(Brown and Forsythe), and by the logarithm of the standard deviation of each run (log_sd)."
)
UNITS = (
    "Samples of one run resemble each other. A test that counts each of them as independent evidence "
    "(samples as units, usual in papers) finds effects where there are none; the test with one value per "
    "run (runs as units) does not."
)
F_VALUE = (
    "How much larger the differences between levels are than chance makes them, and how probable so large "
    "an F is by chance alone."
)
INTERVAL = (
    "Where the true value probably lies: of 100 studies like this one, about 95 would give an interval that "
    "holds it."
)
LATENCY_PLOT = (
    "How often each latency was seen, on a logarithmic scale: a narrow hill is a punctual machine, the "
    "right end of its foot is the worst that was seen. Nothing says that worse cannot come."
)

WORDS = (
    ("Cell", "One combination of levels of the factors."),
    ("Run, block", "A run measures one cell once. A block holds one run of every cell, in random order."),
    ("Latency", "How much later than it was due something happened."),
    ("Jitter", "How much the latency scatters, measured by its standard deviation (sd)."),
    ("p50, p99, p99.9", "The value that 50 %, 99 %, 99.9 % of the samples do not exceed; p50 is the median."),
    ("Latency plot", LATENCY_PLOT),
    ("Runs as units, samples as units", UNITS),
    (
        "sum_sq, df",
        "How much of the scatter a term takes up (in the unit squared), and its degrees of freedom.",
    ),
    ("F, PR(>F)", F_VALUE),
    ("ω²", "The share of the variance that a term explains, corrected for chance; 1 is everything."),
    ("Interaction", "The effect of one factor depends on the level of another."),
    ("95 % interval", INTERVAL),
)
