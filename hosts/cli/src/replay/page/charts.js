// Time series from the run's metrics, with the values under the cursor.

class Charts {
  constructor(element, series, times, seek) {
    this.times = times;
    this.charts = series.map(({ unit, lines }) => {
      const figure = document.createElement("figure"), caption = document.createElement("figcaption"), canvas = document.createElement("canvas");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", lines.map((l) => l.name).join(", ") + " over time");
      const cursor = document.createElement("i"), plot = document.createElement("div");
      plot.append(canvas, cursor);
      figure.append(caption, plot);
      element.append(figure);
      const values = lines.map((l, i) => {
        const part = document.createElement("span"), swatch = document.createElement("i"), value = document.createElement("b");
        swatch.className = "swatch";
        swatch.style.borderTop = `3px ${i ? "dashed" : "solid"} ${l.colour}`;
        part.append(swatch, `${l.name} `, value);
        caption.append(part);
        return value;
      });
      const note = document.createElement("span");
      note.className = "unit";
      note.textContent = unit;
      caption.append(note);
      canvas.addEventListener("pointerdown", (event) => {
        const move = (e) => {
          const box = canvas.getBoundingClientRect(), share = (e.clientX - box.left - 38) / (box.width - 42);
          seek(times[0] + Math.min(1, Math.max(0, share)) * (times[times.length - 1] - times[0]));
        };
        canvas.setPointerCapture(event.pointerId);
        move(event);
        canvas.onpointermove = move;
        canvas.onpointerup = () => canvas.onpointermove = null;
      });
      const most = roundAbove(1.02 * Math.max(1e-3, ...lines.map((l) => l.values.reduce((m, v) => Math.max(m, v), 0))));
      return { lines, values, cursor, canvas, most, drawn: "" };
    });
  }

  // The last sample that is not after a time.
  sample(time) {
    let at = 0;
    while (at + 1 < this.times.length && this.times[at + 1] <= time + 1e-9) at++;
    return at;
  }

  // Moves the cursors and the values beside them; curves are drawn when size or colours change.
  draw(time, style) {
    if (this.times.length === 0) return;
    const at = this.sample(time), ratio = window.devicePixelRatio || 1;
    const first = this.times[0], span = Math.max(1e-9, this.times[this.times.length - 1] - first);
    const share = (Math.min(Math.max(time, first), first + span) - first) / span;
    for (const chart of this.charts) {
      const { lines, values, canvas, cursor } = chart, width = canvas.clientWidth;
      lines.forEach((l, i) => values[i].textContent = this.times[at] <= time + 1e-9 ? number(l.values[at]) : "–");
      const state = [width, canvas.clientHeight, ratio, style.pale, style.line].join();
      if (state !== chart.drawn) this.drawCurves(chart, style, ratio, first, span);
      chart.drawn = state;
      cursor.style.transform = `translateX(${38 + share * (width - 42)}px)`;
    }
  }

  drawCurves({ lines, canvas, most }, style, ratio, first, span) {
    const width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const c = canvas.getContext("2d");
    c.scale(ratio, ratio);
    c.font = "10px system-ui, sans-serif";
    c.fillStyle = style.pale;
    c.textAlign = "right";
    c.fillText(number(most), 35, 9);
    c.fillText("0", 35, height - 3);
    c.strokeStyle = style.line;
    c.strokeRect(38.5, 0.5, width - 42, height - 4);
    const x = (t) => 38.5 + (t - first) / span * (width - 42), y = (v) => height - 3.5 - v / most * (height - 5);
    lines.forEach((l, i) => {
      c.beginPath();
      // Long runs have more samples than pixels.
      const step = Math.max(1, Math.floor(this.times.length / (2 * width)));
      for (let k = 0; k < this.times.length; k += step) c.lineTo(x(this.times[k]), y(l.values[k]));
      c.strokeStyle = l.colour;
      c.lineWidth = 1.5;
      c.setLineDash(i ? [4, 3] : []);
      c.stroke();
      c.setLineDash([]);
    });
  }
}

// A number with as many decimals as tell something.
function number(value) {
  if (value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 1000) return Math.round(value).toString();
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}
