// SPDX-License-Identifier: Apache-2.0
// Draws the figures of the page in the colours of its theme, each when it comes into view, all before printing.
"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const figures = read("figures");
  const themes = read("themes");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const coarse = matchMedia("(pointer: coarse)");
  const charts = [...document.querySelectorAll(".chart")];
  const drawn = new Set();
  let printing = false;

  const colour = (theme, name) => {
    const [key, opacity] = name.slice(1).split("/");
    const hex = /^\d+$/.test(key) ? theme.colours[key % theme.colours.length] : theme[key];
    if (!opacity) return hex;
    const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    return `rgba(${parts.join(",")},${opacity})`;
  };

  // Only properties that hold a colour are looked at: "@0" may also be the name of a level.
  const painted = (theme, value, property = "") => {
    if (Array.isArray(value)) return value.map((item) => painted(theme, item));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, painted(theme, item, key)]));
    }
    if (value === "@scale" && property === "colorscale") {
      return theme.scale.map((hex, index) => [index / (theme.scale.length - 1), hex]);
    }
    return typeof value === "string" && value[0] === "@" && /color$/.test(property) ? colour(theme, value) : value;
  };

  // On a phone there is room for the powers of ten only.
  const narrow = (layout) => {
    layout.font.size = 11;
    for (const [name, axis] of Object.entries(layout)) {
      if (!name.startsWith("xaxis") || axis.type !== "log" || !axis.tickvals || axis.tickvals.length < 7) continue;
      const kept = axis.tickvals.map((value) => Number.isInteger(Math.log10(value)));
      axis.tickvals = axis.tickvals.filter((_, index) => kept[index]);
      axis.ticktext = axis.ticktext.filter((_, index) => kept[index]);
    }
  };

  const hidden = (figure, series) => {
    const buttons = document.querySelectorAll(`.legend button[aria-pressed="false"]`);
    return [...buttons].some(({ dataset }) => dataset.figure === figure && dataset.series === series);
  };

  const draw = (chart) => {
    const theme = dark.matches && !printing ? themes.dark : themes.light;
    const { data, layout } = painted(theme, figures[chart.dataset.figure]);
    for (const trace of data) trace.visible = !hidden(chart.dataset.figure, trace.meta);
    layout.hoverlabel = { bgcolor: theme.paper, bordercolor: theme.muted, font: { color: theme.ink } };
    layout.font.family = getComputedStyle(document.body).fontFamily;
    layout.dragmode = coarse.matches ? false : "zoom";
    if (chart.clientWidth < 520) narrow(layout);
    if (printing) Object.assign(layout, { width: 660, height: Math.min(layout.height, 780) });
    drawn.add(chart);
    return Plotly.react(chart, data, layout, { responsive: true, displayModeBar: false });
  };

  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      draw(entry.target);
    }
  }, { rootMargin: "600px" });

  for (const chart of charts) {
    chart.style.minHeight = `${figures[chart.dataset.figure].layout.height}px`;
    watcher.observe(chart);
  }
  for (const button of document.querySelectorAll(".legend button")) {
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") === "false");
      draw(charts.find((chart) => chart.dataset.figure === button.dataset.figure));
    });
  }
  dark.addEventListener("change", () => drawn.forEach(draw));
  addEventListener("beforeprint", () => {
    printing = true;
    charts.forEach(draw);
  });
  addEventListener("afterprint", () => {
    printing = false;
    drawn.forEach(draw);
  });
})();
