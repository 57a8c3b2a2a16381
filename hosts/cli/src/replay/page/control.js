// Input and the loop: buttons, keys, pointer, address, time.

class Control {
  constructor(replay) {
    this.replay = replay;
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.fillIn();
    this.bind();
    new ResizeObserver(() => this.resize()).observe(element("stage"));
    this.resize();
    replay.camera.fit();
    this.seenSolid = replay.camera.solid;
  }

  fillIn() {
    const { facts, scene, colourings } = this.replay;
    const rates = [...new Set(facts.blocks.map((b) => +(b.every * facts.dt).toFixed(4)))];
    element("subtitle").textContent = `${facts.people} agents, ${(facts.steps * facts.dt).toFixed(1)} s, seed ${facts.seed}, digest ${facts.digest}`;
    element("strategies").innerHTML = facts.strategies.map((s) => `<li title="${escaped(s.origin)} ${escaped(s.version)}"><b>${s.slot}${s.tier === null ? "" : ` (level ${s.tier})`}</b>${escaped(s.id)}</li>`).join("");
    element("colour").innerHTML = colourings.map((c, i) => `<option value="${c.id}">${i + 1}  ${c.name}</option>`).join("");
    element("pace").innerHTML = PACES.map((p) => `<option value="${p}">${p} ×</option>`).join("");
    element("about").innerHTML = aboutText(facts, rates.map((r) => `${r} s`).join(", later "));
    const missing = {
      graph: !scene.map.edges && `${scene.map.edge_count} edges: too many to draw here`,
      gates: !(scene.map.gates || []).length && "this map's gates have no width or are too many",
      regions: !(scene.map.regions || []).length && `${scene.map.region_count} regions: none drawn here`,
      lines: !scene.lines.length && "the scenario has no counting lines",
      areas: !this.replay.shapes.length && "no areas to draw",
    };
    for (const [id, name, key] of LAYERS) {
      const label = document.createElement("label");
      label.innerHTML = `<input type="checkbox" id="layer-${id}"> ${name}`;
      if (key) label.title = key.toUpperCase();
      const box = label.firstChild;
      if (missing[id]) {
        box.disabled = true;
        label.className = "off";
        label.title = missing[id];
        this.replay.on[id] = false;
      }
      box.checked = Boolean(this.replay.on[id]);
      box.addEventListener("change", () => this.setLayer(id, box.checked));
      element("layers").append(label);
    }
    const many = scene.storeys.length > 1;
    element("storey-row").hidden = !many;
    element("storey").innerHTML = `<option value="-1">all, stacked</option>` + scene.storeys.map((s, i) => `<option value="${i}">${escaped(s.name || `floor ${i}`)}</option>`).join("");
    const { stretch } = this.replay.camera;
    if (stretch > 1) element("solid-view").textContent = `3D, heights × ${stretch}`;
    element("scrub").min = this.replay.frames.time[0] || 0;
    element("scrub").max = this.replay.end;
    this.fillCharts();
    this.setPace(this.replay.pace);
    this.setColour(this.replay.colouring.id);
  }

  fillCharts() {
    const { facts } = this.replay, [head, ...lines] = facts.metrics.trim().split("\n").map((l) => l.split(","));
    const column = (name) => lines.map((l) => Number(l[head.indexOf(name)]));
    const times = column("time_s"), peak = new Map(facts.peaks.map(([t, v]) => [t.toFixed(3), v]));
    const peaks = times.map((t) => peak.get(t.toFixed(3)) ?? 0);
    this.charts = new Charts(element("charts"), [
      { unit: "agents", lines: [{ name: "walking", values: column("walking"), colour: "#0072b2" }, { name: "arrived", values: column("arrived"), colour: "#e69f00" }] },
      { unit: "m/s", lines: [{ name: "mean speed", values: column("mean_speed_m_s"), colour: "#009e73" }] },
      { unit: "persons/m²", lines: [{ name: "mean density", values: column("mean_density_1_m2"), colour: "#cc79a7" }, { name: "peak", values: peaks, colour: "#d55e00" }] },
      { unit: "pairs deeper than 5 mm", lines: [{ name: "overlaps", values: column("overlapping_pairs"), colour: "#56b4e9" }] },
    ], times, (t) => this.seek(t));
  }

  setTheme(name) {
    document.documentElement.dataset.theme = this.themeName = name;
    const style = getComputedStyle(document.documentElement), of = (key) => rgb(style.getPropertyValue(key).trim()).map((v) => v / 255);
    this.chartStyle = Object.fromEntries(["ink", "pale", "line"].map((key) => [key, style.getPropertyValue(`--${key}`)]));
    this.replay.paper = { ink: style.getPropertyValue("--ink"), card: style.getPropertyValue("--card") };
    const dark = name === "dark", hex = (value) => rgb(value).map((v) => v / 255);
    this.replay.theme = {
      ground: of("--ground"), outside: of("--outside"), wall: of("--wall"), edge: hex(dark ? "#9aa5b5" : "#1c2430"),
      area: hex("#0072b2"), graph: hex(dark ? "#56b4e9" : "#0072b2"), region: hex("#009e73"), gate: hex("#d55e00"), obstacle: hex("#a07855"),
      open: hex("#009e73"), shut: hex("#d55e00"), route: hex("#cc79a7"),
    };
    this.panelFrame = -1;
    this.replay.dirty = true;
  }

  setLayer(id, on) {
    const box = element(`layer-${id}`);
    if (box.disabled) return;
    box.checked = this.replay.on[id] = on;
    if (id === "heat") {
      const { heat, facts, heatMost, painter } = this.replay;
      element("heat-key").hidden = !on;
      const cells = facts.plan ? `cells of ${heat.cell} m: persons within 1.5 m of the middle of a cell` : `at points about ${number(painter.heatSpacing)} m apart: persons within 1.5 m`;
      element("heat-key").innerHTML = ramp("density map", "persons/m²", heatMost, `${cells}, per area of that disc; agents are drawn over it when near enough`, NaN, FADES_BELOW);
    }
    this.replay.stale = this.replay.dirty = true;
  }

  setColour(id) {
    const found = this.replay.colourings.find((c) => c.id === id);
    if (!found) return;
    this.replay.colouring = found;
    element("colour").value = id;
    this.replay.stale = this.replay.dirty = true;
  }

  setStorey(index) {
    const { replay } = this, count = replay.scene.storeys.length;
    replay.storey = Math.min(count - 1, Math.max(-1, index));
    element("storey").value = replay.storey;
    replay.stale = replay.dirty = true;
  }

  setSolid(solid) {
    const { camera } = this.replay;
    camera.solid = solid;
    if (solid && !this.seenSolid) camera.fit();
    this.seenSolid ||= solid;
    this.showView();
    this.replay.dirty = true;
  }

  showView() {
    const { solid } = this.replay.camera;
    element("flat-view").setAttribute("aria-pressed", !solid);
    element("solid-view").setAttribute("aria-pressed", solid);
  }

  setPace(pace) {
    this.replay.pace = pace;
    element("pace").value = pace;
  }

  play(on) {
    const { replay } = this;
    if (on && replay.time >= replay.end - 1e-6) replay.time = replay.frames.time[0];
    replay.playing = on;
    element("play").setAttribute("aria-pressed", on);
    replay.dirty = true;
  }

  seek(time) {
    const { replay } = this;
    replay.time = Math.min(replay.end, Math.max(replay.frames.time[0] || 0, time));
    replay.dirty = true;
  }

  step(frames) {
    const { replay } = this;
    this.play(false);
    const frame = Math.min(replay.frames.length - 1, Math.max(0, replay.frames.at(replay.time) + frames));
    this.seek(replay.frames.time[frame]);
  }

  resize() {
    const { replay } = this, box = element("stage").getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    for (const id of ["crowd", "over"]) {
      const canvas = element(id), [width, height] = [Math.max(1, Math.round(box.width * ratio)), Math.max(1, Math.round(box.height * ratio))];
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    }
    replay.camera.resize(Math.max(1, box.width), Math.max(1, box.height));
    if (!this.sized) replay.camera.fit();
    this.sized = true;
    replay.dirty = true;
  }

  bind() {
    const { replay } = this, click = (id, act) => element(id).addEventListener("click", act);
    click("play", () => this.play(!replay.playing));
    click("back", () => this.step(-1));
    click("forth", () => this.step(1));
    click("fit", () => { replay.camera.fit(); replay.dirty = true; });
    click("flat-view", () => this.setSolid(false));
    click("solid-view", () => this.setSolid(true));
    click("theme", () => this.setTheme(this.themeName === "dark" ? "light" : "dark"));
    click("help-open", () => element("help").showModal());
    element("pace").addEventListener("change", (e) => this.setPace(Number(e.target.value)));
    element("colour").addEventListener("change", (e) => this.setColour(e.target.value));
    element("storey").addEventListener("change", (e) => this.setStorey(Number(e.target.value)));
    element("scrub").addEventListener("input", (e) => this.seek(Number(e.target.value)));
    document.addEventListener("keydown", (e) => this.key(e));
    this.bindPointer(element("over"));
    this.showView();
  }

  bindPointer(canvas) {
    const { replay } = this, down = new Map();
    let moved = 0, spread = 0;
    const at = (e) => { const box = canvas.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
    canvas.addEventListener("pointerdown", (e) => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(e.pointerId);
      down.set(e.pointerId, at(e));
      moved = spread = 0;
    });
    canvas.addEventListener("pointermove", (e) => {
      const now = at(e), before = down.get(e.pointerId);
      if (!before) return this.hover(now);
      const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      down.set(e.pointerId, now);
      moved += Math.hypot(dx, dy);
      if (down.size === 2) {
        const [p, q] = [...down.values()], apart = Math.hypot(p[0] - q[0], p[1] - q[1]);
        if (spread > 0) replay.camera.zoom(apart / spread, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
        spread = apart;
      } else if (moved > 3) {
        if (replay.camera.solid && !e.shiftKey && !(e.buttons & 2)) replay.camera.turn(dx, dy); else replay.camera.pan(dx, dy);
      }
      replay.dirty = true;
    });
    const up = (e) => {
      const clicked = down.delete(e.pointerId) && moved <= 3 && e.type === "pointerup";
      if (!clicked) return;
      const i = replay.agentAt(...at(e));
      replay.pick(i < 0 ? -1 : replay.crowd.serial[i]);
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", () => element("hover").hidden = true);
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      replay.camera.zoom(Math.exp(-e.deltaY * 0.0015), ...at(e));
      replay.dirty = true;
    }, { passive: false });
  }

  hover([x, y]) {
    const { replay } = this, i = replay.agentAt(x, y), box = element("hover");
    box.hidden = i < 0;
    if (i < 0) return;
    const { colouring, crowd, people } = replay;
    if (colouring.id === "density") replay.densities();
    const value = colouring.kinds ? colouring.kinds[(colouring.kind || colouring.of)(crowd, i)] : `${number(colouring.of(crowd, i))} ${colouring.unit}`;
    box.textContent = `${people.id[crowd.serial[i]]}: ${colouring.name} ${value}`;
    box.style.left = `${x + 14}px`;
    box.style.top = `${y + 10}px`;
  }

  key(e) {
    const { replay } = this, { camera } = replay;
    if (e.ctrlKey || e.metaKey || e.altKey || element("help").open) return;
    const onControl = e.target.closest && e.target.closest("select, input[type=range]");
    const acts = {
      " ": () => this.play(!replay.playing),
      ArrowLeft: () => e.shiftKey ? this.seek(replay.time - 5) : this.step(-1),
      ArrowRight: () => e.shiftKey ? this.seek(replay.time + 5) : this.step(1),
      ArrowUp: () => this.setPace(PACES[Math.min(PACES.length - 1, PACES.indexOf(replay.pace) + 1)]),
      ArrowDown: () => this.setPace(PACES[Math.max(0, PACES.indexOf(replay.pace) - 1)]),
      Home: () => this.seek(0),
      End: () => this.seek(replay.end),
      "+": () => camera.zoom(1.25),
      "=": () => camera.zoom(1.25),
      "-": () => camera.zoom(0.8),
      "?": () => element("help").showModal(),
      "[": () => this.setStorey(replay.storey - 1),
      "]": () => this.setStorey(replay.storey + 1),
      Escape: () => replay.pick(-1),
      n: () => replay.pickNextDetailed(),
      v: () => this.setSolid(!camera.solid),
      f: () => camera.fit(),
      d: () => element("theme").click(),
    };
    for (const [id, , key] of LAYERS) if (key) acts[key] = () => this.setLayer(id, !replay.on[id]);
    replay.colourings.forEach((c, i) => acts[String(i + 1)] = () => this.setColour(c.id));
    const name = e.key.length === 1 ? e.key.toLowerCase() : e.key, act = acts[name];
    // Lists and sliders keep their own keys; a button keeps the space bar.
    if (!act || (onControl && e.key !== " ") || (e.key === " " && e.target.tagName === "BUTTON")) return;
    e.preventDefault();
    act();
    replay.dirty = true;
  }

  // The address after # says what to show: t, colour, heat, view, storey, pick, play.
  readAddress() {
    const { replay } = this, wish = new URLSearchParams(location.hash.slice(1));
    if (wish.has("t")) this.seek(Number(wish.get("t")));
    if (wish.has("colour")) this.setColour(wish.get("colour"));
    for (const [id] of LAYERS) if (wish.has(id)) this.setLayer(id, wish.get(id) !== "0");
    if (wish.has("view")) this.setSolid(wish.get("view") === "3d");
    if (wish.has("storey")) this.setStorey(Number(wish.get("storey")));
    if (wish.has("theme")) this.setTheme(wish.get("theme"));
    if (wish.has("zoom")) replay.camera.zoom(Number(wish.get("zoom")));
    this.wishedPick = wish.has("pick") ? Number(wish.get("pick")) : -1;
    return wish.get("play");
  }

  // One turn of the loop: time moves on, and what changed is drawn.
  turn(clock) {
    const { replay } = this, since = Math.min(0.25, (clock - (this.before ?? clock)) / 1e3);
    this.before = clock;
    const was = replay.time;
    if (replay.playing) {
      replay.time = Math.min(replay.end, replay.time + since * replay.pace);
      replay.dirty = true;
      if (replay.time >= replay.end) this.play(false);
    }
    if (!replay.dirty) return;
    if (!replay.draw()) {
      // The block is on its way: wait with it rather than jump.
      replay.time = replay.playing ? was : replay.time;
      return;
    }
    element("busy").hidden = true;
    replay.dirty = replay.playing;
    if (this.wishedPick >= 0) {
      replay.pick(this.wishedPick);
      this.wishedPick = -1;
    }
    // Who draws without a graphics card pays for each change of the page: few a second are enough.
    const now = replay.time, due = !replay.playing || Math.abs(now - (this.clockTime ?? -1)) >= Math.min(0.1 * replay.pace, 1);
    if (due) {
      this.clockTime = now;
      element("scrub").value = now;
      element("clock").textContent = `${now.toFixed(1)} of ${replay.end.toFixed(1)} s · ${replay.crowd.count} agents`;
      element("clock").title = `frame ${replay.crowd.frame + 1} of ${replay.frames.length}`;
    }
    if (replay.shownFrame !== this.panelFrame || replay.time !== this.panelTime && !replay.playing) {
      this.panelFrame = replay.shownFrame;
      this.panelTime = replay.time;
      this.charts.draw(replay.time, this.chartStyle);
      if (replay.picked >= 0) replay.showAgent();
    }
  }
}

async function start() {
  const began = performance.now();
  const [facts, scene] = [await jsonSection("facts"), await jsonSection("scene")];
  const people = readPeople(await section("people"), facts.people);
  const replay = new Replay(facts, scene, people);
  replay.prepare();
  const control = new Control(replay);
  const wish = control.readAddress();
  replay.showAgent();
  if (replay.frames.length === 0) throw new Error("Nothing was recorded: the run ended before the first frame.");
  await replay.frames.load(replay.frames.block[replay.frames.at(replay.time)]);
  replay.unpackedAfter = performance.now() - began;
  // People see the crowd move at once, unless they asked their system for less motion.
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  control.play(wish === null ? !still : wish !== "0");
  const loop = (now) => { control.turn(now); requestAnimationFrame(loop); };
  requestAnimationFrame(loop);
  replay.routes = readRoutes(await section("routes"), facts.quantum);
  replay.stale = replay.dirty = true;
  Object.assign(window.throngReplay, { replay, control, ready: true });
}

window.throngReplay = { ready: false, errors: [] };
function wrong(error) {
  window.throngReplay.errors.push(String(error && error.stack || error));
  const busy = element("busy");
  busy.hidden = false;
  busy.className = "wrong";
  busy.textContent = `The replay cannot be shown: ${error && error.message || error}`;
}
window.addEventListener("error", (e) => wrong(e.error || e.message));
window.addEventListener("unhandledrejection", (e) => wrong(e.reason));
start().catch(wrong);
