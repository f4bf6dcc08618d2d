// SPDX-FileCopyrightText: 2026 The trainlint authors
// SPDX-License-Identifier: MIT

// Draws each job's step: bands of live tensors over its allocations, moved by the batch. What a config says
// reaches the page as text alone.

"use strict";

(() => {
  const GIB = 1048576; // in KiB, which all data is in
  const ROWS = 3; // of phases' names below a curve
  const data = JSON.parse(document.getElementById("curves").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const gib = (kib) => (kib / GIB).toFixed(2);
  const size = (kib) => (kib >= GIB ? `${gib(kib)} GiB` : kib >= 1024 ? `${(kib / 1024).toFixed(kib < 10240 ? 1 : 0)} MiB` : kib >= 1 ? `${Math.round(kib)} KiB` : `${Math.round(kib * 1024)} B`);

  // what stays is at the bottom, what comes and goes on top of it
  const ORDER = [
    "parameters", "losses", "buffers", "ema", "optimizer", "queue", "inputs", "gradients", "kept_results",
    "autocast_copies", "activations", "forward_temporaries", "backward_temporaries", "optimizer_temporaries",
  ];
  const rank = (band) => (ORDER.indexOf(band.kind) + ORDER.length + 1) % (ORDER.length + 1);

  function element(name, words, ...children) {
    const made = document.createElement(name);
    if (words !== undefined) made.textContent = words;
    made.append(...children);
    return made;
  }

  function swatch(kind) {
    const box = element("i");
    box.style.background = colour(kind);
    return box;
  }

  const colour = (kind) => css(`--${kind}`) || css("--other");

  class Memory {
    constructor(root, workloads) {
      this.root = root;
      this.workloads = workloads;
      this.at = (name) => root.querySelector(name);
      this.select = this.at(".workload");
      this.slider = this.at(".batch");
      this.offer("");
      this.tip = element("div");
      this.tip.className = "tip";
      this.tip.hidden = true;
      this.select.addEventListener("change", () => this.open());
      this.slider.addEventListener("input", () => this.move());
      dark.addEventListener("change", () => this.open(this.batch));
      new ResizeObserver(() => this.resize()).observe(this.at(".chart"));
      this.open();
    }

    // lists the workloads of one reading of the job, or of all
    offer(reading) {
      this.select.replaceChildren();
      this.workloads.forEach((workload, number) => {
        if (reading && workload.reading && workload.reading !== reading) return;
        const names = workload.targets.map((target) => target.name).join(", ");
        const option = element("option", `${workload.title} (${names})`);
        option.value = number;
        this.select.append(option);
      });
    }

    open(batch) {
      this.workload = this.workloads[Number(this.select.value || 0)];
      this.bands = [...this.workload.bands].sort((a, b) => rank(a) - rank(b));
      this.slider.min = this.workload.low;
      this.slider.max = this.workload.high;
      this.slider.value = batch ?? this.workload.batch;
      this.slider.disabled = this.workload.fixed;
      this.batch = Number(this.slider.value);
      this.compute();
      this.draw();
      this.say();
    }

    move() {
      this.batch = Number(this.slider.value);
      this.compute();
      this.plot.setData(this.columns);
      this.say();
    }

    // stacked: the topmost band's column is the sum of all
    compute() {
      const count = this.workload.made.length;
      const sums = new Array(count).fill(0);
      const columns = this.bands.map((band) => {
        for (let i = 0; i < count; i++) sums[i] += Math.max(0, band.const[i] + band.slope[i] * this.batch);
        return sums.map((each) => each / GIB);
      });
      this.total = sums;
      this.peak = sums.reduce((best, each, i) => (each > sums[best] ? i : best), 0);
      this.columns = [sums.map((_, i) => i), ...columns.reverse()];
    }

    lines() {
      const rooms = new Map();
      for (const target of this.workload.targets) {
        const label = `${target.name} leaves ${gib(target.room)}`;
        if (!rooms.has(label)) rooms.set(label, target.room / GIB);
      }
      return rooms;
    }

    top() {
      const highest = this.total[this.peak] / GIB;
      const rooms = [...this.lines().values()].sort((a, b) => a - b);
      // the nearest line above the curve is on the picture, one far above it is not worth an empty one
      const near = rooms.filter((room) => room <= highest * 2.5);
      return Math.max(highest, ...near, highest ? 0 : 1) * 1.08;
    }

    draw() {
      const host = this.at(".chart");
      this.plot?.destroy();
      const stepped = uPlot.paths.stepped({ align: 1 });
      const bands = [...this.bands].reverse();
      const axis = { stroke: css("--soft"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") } };
      const options = {
        width: Math.max(240, host.clientWidth),
        height: host.clientWidth < 500 ? 260 : 360,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
        scales: { x: { time: false }, y: { range: () => [0, this.top()] } },
        axes: [
          { values: () => [], size: 9 + 13 * ROWS, grid: { show: false }, ticks: { show: false } },
          { ...axis, values: (_, splits) => splits.map((each) => `${each}`), size: 46, label: "GiB", labelSize: 18 },
        ],
        series: [
          {},
          ...bands.map((band) => ({
            label: band.name, stroke: colour(band.kind), fill: colour(band.kind), width: 0.5, paths: stepped, points: { show: false },
          })),
        ],
        hooks: {
          draw: [(plot) => this.marks(plot)],
          setCursor: [(plot) => this.point(plot)],
        },
      };
      this.plot = new uPlot(options, this.columns, host);
      // on a narrow screen it would cover what it is about
      this.below = host.clientWidth < 500;
      this.tip.classList.toggle("below", this.below);
      (this.below ? host : this.plot.over).append(this.tip);
      const follow = (event) => {
        if (event.pointerType === "mouse") return; // uPlot follows the mouse itself
        const box = this.plot.over.getBoundingClientRect();
        this.plot.setCursor({ left: event.clientX - box.left, top: event.clientY - box.top });
      };
      this.plot.over.addEventListener("pointerdown", follow);
      this.plot.over.addEventListener("pointermove", follow);
    }

    resize() {
      const host = this.at(".chart");
      const width = Math.max(240, host.clientWidth);
      if (this.plot && this.plot.width !== width) this.plot.setSize({ width, height: width < 500 ? 260 : 360 });
    }

    // phases below, each target's line, and the peak
    marks(plot) {
      const context = plot.ctx;
      const { left, top, width, height } = plot.bbox;
      const ratio = devicePixelRatio;
      context.save();
      context.font = `${11 * ratio}px system-ui, sans-serif`;
      context.fillStyle = context.strokeStyle = css("--soft");
      context.lineWidth = ratio;
      context.textAlign = "left";
      context.textBaseline = "alphabetic";
      const free = new Array(ROWS).fill(left); // where each row of labels goes on
      this.workload.phases.forEach(([index, words]) => {
        const x = plot.valToPos(index, "x", true);
        context.globalAlpha = 0.35;
        context.beginPath();
        context.moveTo(x, top);
        context.lineTo(x, top + height);
        context.stroke();
        context.globalAlpha = 1;
        const short = words.replace(/^in the |^at the /, "").replace(" pass", "");
        const wide = context.measureText(short).width;
        const start = Math.min(x + 3 * ratio, left + width - wide);
        const row = free.findIndex((end) => start >= end);
        if (row < 0) return;
        context.fillText(short, start, top + height + (14 + 13 * row) * ratio);
        free[row] = start + wide + 6 * ratio;
      });
      context.textAlign = "right";
      for (const [label, room] of this.lines()) {
        const y = plot.valToPos(room, "y", true);
        if (y < top) continue;
        context.strokeStyle = context.fillStyle = room * GIB < this.total[this.peak] ? css("--fail") : css("--pass");
        context.lineWidth = 1.5 * ratio;
        context.setLineDash([6 * ratio, 4 * ratio]);
        context.beginPath();
        context.moveTo(left, y);
        context.lineTo(left + width, y);
        context.stroke();
        context.fillText(label, left + width - 4 * ratio, y - 4 * ratio);
      }
      context.setLineDash([]);
      const x = plot.valToPos(this.peak, "x", true);
      const y = plot.valToPos(this.total[this.peak] / GIB, "y", true);
      context.fillStyle = context.strokeStyle = css("--ink");
      context.beginPath();
      context.arc(x, y, 4 * ratio, 0, 2 * Math.PI);
      context.fill();
      context.textAlign = x > left + width / 2 ? "right" : "left";
      context.fillText(`peak ${gib(this.total[this.peak])} GiB`, x + (x > left + width / 2 ? -8 : 8) * ratio, Math.max(top + 11 * ratio, y - 6 * ratio));
      context.restore();
    }

    phase(index) {
      let found = "";
      for (const [at, words] of this.workload.phases) if (at <= index) found = words;
      return found;
    }

    tensor(number) {
      const [owner, made, constant, slope] = this.workload.tensors[number];
      return `${owner}${made ? `, ${made}` : ""}, ${size(constant + slope * this.batch)}`;
    }

    // names the moment, the band under the pointer and its largest tensor
    point(plot) {
      const index = plot.cursor.idx;
      if (index === null || index === undefined || plot.cursor.left < 0) {
        this.tip.hidden = true;
        return;
      }
      const height = plot.posToVal(plot.cursor.top, "y");
      const columns = this.columns.slice(1).reverse();
      let number = columns.findIndex((column) => column[index] >= height);
      if (number < 0) number = this.bands.length - 1;
      while (number > 0 && this.bands[number].top[index] < 0) number -= 1;
      const band = this.bands[number];
      const bytes = band.const[index] + band.slope[index] * this.batch;
      this.tip.replaceChildren(
        element("b", `${size(this.total[index])} of tensors`),
        element("div", this.phase(index)),
      );
      const made = this.workload.made[index];
      if (made >= 0) this.tip.append(element("div", `just made: ${this.tensor(made)}`));
      const line = element("div");
      line.append(swatch(band.kind), element("b", `${band.name}: ${size(bytes)}`));
      if (band.meaning) line.append(` (${band.meaning})`);
      this.tip.append(line);
      if (band.top[index] >= 0) this.tip.append(element("div", `the largest: ${this.tensor(band.top[index])}`));
      this.tip.hidden = false;
      if (this.below) return;
      const room = plot.over.clientWidth;
      const left = plot.cursor.left + 14;
      this.tip.style.left = `${Math.max(0, left + this.tip.offsetWidth > room ? Math.min(plot.cursor.left - 14, room) - this.tip.offsetWidth : left)}px`;
      this.tip.style.top = `${Math.max(0, Math.min(plot.cursor.top + 10, plot.over.clientHeight - this.tip.offsetHeight))}px`;
    }

    // what the batch comes to, in words, and the parts at the peak
    say() {
      const { workload, batch } = this;
      this.at(".chosen").textContent = workload.fixed ? `${workload.batch} (no other is known)` : `${batch}${batch === workload.batch ? " (the config's)" : ""}`;
      const words = [element("span", `Peak of tensors ${size(this.total[this.peak])}, ${this.phase(this.peak)}. `)];
      for (const target of workload.targets) {
        const [state, said] = this.verdict(target);
        const word = element("b", said);
        word.className = state;
        words.push(element("span", `${target.name}: `), word, element("span", "  "));
      }
      this.at(".answer").replaceChildren(...words);
      const parts = this.bands
        .map((band) => [band, Math.max(0, band.const[this.peak] + band.slope[this.peak] * batch)])
        .filter(([, bytes]) => bytes > 0)
        .sort((a, b) => b[1] - a[1]);
      this.at(".legend").replaceChildren(
        ...parts.map(([band, bytes]) => {
          const item = element("li", undefined, swatch(band.kind), `${band.name} ${size(bytes)}`);
          item.title = band.meaning;
          return item;
        }),
      );
    }

    verdict(target) {
      if (!target.judged) return ["skipped", "not judged"];
      if (this.workload.fixed || this.batch === this.workload.batch) return [target.state, target.said];
      if (this.batch <= target.safe) return ["pass", "fits"];
      if (this.batch <= target.largest) return ["warn", "tight"];
      return target.open ? ["skipped", "not known"] : ["fail", `does not fit (${target.largest} is the limit)`];
    }
  }

  for (const article of document.querySelectorAll("article")) {
    const root = article.querySelector(".memory");
    const memory = root && new Memory(root, data[article.dataset.job]);
    const reading = article.querySelector("select.reading");
    if (!reading) continue;
    const choose = () => {
      for (const part of article.querySelectorAll("[data-reading]")) part.hidden = part.dataset.reading !== reading.value;
      memory?.offer(reading.value);
      memory?.open();
    };
    reading.addEventListener("change", choose);
    reading.closest("p").hidden = false;
    choose();
  }
})();
