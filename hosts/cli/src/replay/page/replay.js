// Puts everything together: state, input, the loop.

const LAYERS = [
  ["heat", "density map", "h"], ["areas", "areas", "a"], ["names", "names", "l"], ["graph", "map: graph", "g"],
  ["regions", "map: regions", "j"], ["gates", "map: gates", "k"], ["routes", "routes", "r"], ["lines", "counting lines", ""],
];
const PACES = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50];
const metres = (list) => Float32Array.from(list, (v) => v / 1e3);

class Replay {
  constructor(facts, scene, people) {
    Object.assign(this, { facts, scene, people });
    this.frames = new Frames(facts, scene.movers.length);
    this.time = this.frames.time[0] || 0;
    this.end = this.frames.time[this.frames.length - 1] || 0;
    this.playing = false;
    this.on = { areas: true, names: true, lines: true };
    this.storey = -1;
    this.picked = -1;
    this.crowd = { count: 0, frame: -1 };
    this.lastHeading = new Float32Array(facts.people).fill(99);
    this.lookup = new Int32Array(facts.people).fill(-1);
    this.near = new Near();
    this.routes = new Map();
    this.dirty = true;
    this.drawn = 0;
    this.colourings = colourings(facts, people);
    this.colouring = this.colourings[0];
    const length = this.end - this.time;
    this.pace = PACES.find((p) => p >= 1 && length / p <= 90) || PACES[PACES.length - 1];
    this.measureScene();
  }

  measureScene() {
    const { vertices } = this.scene, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < vertices.length; i++) {
      low[i % 3] = Math.min(low[i % 3], vertices[i] / 1e3);
      high[i % 3] = Math.max(high[i % 3], vertices[i] / 1e3);
    }
    this.low = low;
    this.high = high;
    // Some vertices, as even a large mesh has its outline from a thousand of them.
    const every = Math.ceil(vertices.length / 3000), outline = [];
    for (let i = 0; i + 2 < vertices.length; i += 3 * every) outline.push([0, 1, 2].map((axis) => vertices[i + axis] / 1e3));
    this.camera = new Camera(low, high, outline);
    this.camera.freely = !this.facts.plan;
    const { storeys } = this.scene;
    this.camera.solid = !this.facts.plan || storeys.length > 1;
    if (this.facts.plan && storeys.length > 1) {
      // Floors of a wide building would lie on each other: they are drawn a fifth of its width apart.
      const levels = storeys.map((s) => s.z).sort((a, b) => a - b), gaps = levels.slice(1).map((z, i) => z - levels[i]).filter((gap) => gap > 0.5);
      const width = Math.max(high[0] - low[0], high[1] - low[1]);
      if (gaps.length) this.camera.stretch = Math.min(8, Math.max(1, Math.round(0.2 * width / Math.min(...gaps))));
    }
    // Where the name of a floor stands: its own corner nearest to that of everything.
    this.corners = storeys.map(() => null);
    this.scene.triangles.forEach((v, i) => {
      const at = [0, 1, 2].map((axis) => vertices[3 * v + axis] / 1e3), storey = this.scene.triangle_storey[Math.floor(i / 3)], best = this.corners[storey];
      if (!best || at[0] + at[1] < best[0] + best[1]) this.corners[storey] = at;
    });
    this.heat = new HeatMap(low, high, this.scene.storeys.length);
  }

  // What stands still goes to the graphics card once.
  prepare() {
    const { scene, facts } = this, fills = scene.areas.some((area) => area.storey !== undefined);
    const painter = this.painter = new Painter(element("crowd"), scene, facts, fills);
    const walls = (kind) => scene.walls.filter((w) => w[1] === kind);
    for (const [name, kind] of [["walls", 0], ["obstacles", 1]]) {
      const list = walls(kind);
      painter.setLines(name, list.map((w) => metres(w[0])), (i) => list[i][2]);
    }
    this.doors = walls(2);
    const { map } = scene;
    for (const name of ["edges", "regions", "gates"]) {
      const list = map[name] || [];
      painter.setLines(name, list.map((e) => metres(e[0])), (i) => list[i][1]);
    }
    painter.setLines("lines", scene.lines.map((l) => metres(l.points)), (i) => scene.lines[i].storey);
    this.shapes = [];
    for (const area of scene.areas) {
      if (area.storey === undefined) continue;
      const rings = area.rings ? area.rings.map(metres) : facts.plan ? [circle(area)] : [];
      const spread = [0, 1].map((axis) => rings.flatMap((ring) => Array.from(ring).filter((_, i) => i % 3 === axis)));
      const covers = spread.every((values, axis) => values.length && Math.max(...values) - Math.min(...values) > 0.9 * (this.high[axis] - this.low[axis]));
      // An area that is nearly everything would only tint the picture.
      if (!covers) this.shapes.push({ name: area.name, storey: area.storey, rings, centre: area.centre && metres(area.centre) });
    }
    const closed = this.shapes.flatMap((s) => s.rings.map((ring) => ({ ring: [...ring, ...ring.slice(0, 3)], storey: s.storey })));
    painter.setFills("areas", this.shapes.map((s) => ({ rings: s.rings.map((r) => [...r]), storey: s.storey })));
    painter.setLines("area-lines", closed.map((c) => c.ring), (i) => closed[i].storey);
    this.setDoors();
  }

  setDoors() {
    const open = this.facts.doors_open.slice();
    for (const [step, door, now] of this.facts.door_changes) if (step * this.facts.dt <= this.time + 1e-9) open[door] = now ? 1 : 0;
    const state = open.join();
    if (state === this.doorState) return;
    this.doorState = state;
    for (const [name, wanted] of [["doors-open", 1], ["doors-closed", 0]]) {
      const list = this.doors.filter((w) => open[w[3]] === wanted);
      this.painter.setLines(name, list.map((w) => metres(w[0])), (i) => list[i][2]);
    }
  }

  // Gathers the crowd of a frame; false while its block is being unpacked.
  gather(frame) {
    const block = this.frames.opened(frame), f = this.frames.within[frame];
    if (!block) return false;
    const after = frame + 1 < this.frames.length ? this.frames.opened(frame + 1) : null;
    if (frame + 1 < this.frames.length && !after) return false;
    const slow = block.slowAt(f), storeys = this.scene.storeys.length, sizes = new Int32Array(storeys);
    const { first, count: counts, start } = block, last = storeys - 1;
    let count = 0;
    for (let p = 0; p < block.people; p++) {
      const k = f - first[p];
      if (k < 0 || k >= counts[p]) continue;
      count++;
      sizes[Math.min(slow[0][p], last)]++;
    }
    const next = new Int32Array(storeys), ranges = [];
    for (let s = 0, sum = 0; s < storeys; sum += sizes[s++]) ranges.push([next[s] = sum, sizes[s]]);
    const ints = () => new Int32Array(count), crowd = {
      frame, block, f, count, ranges, slot: ints(), serial: ints(), storey: ints(), tier: ints(), doing: ints(), goal: ints(),
      points: new Float32Array(3 * count), next: new Float32Array(3 * count), speed: new Float32Array(count), heading: new Float32Array(count), density: null,
    };
    const { slot, serial, points, speed, tier, doing, goal } = crowd, { x, y, z } = block, ground = this.low[2];
    for (let p = 0; p < block.people; p++) {
      const k = f - first[p];
      if (k < 0 || k >= counts[p]) continue;
      const storey = Math.min(slow[0][p], last), i = next[storey]++, at = start[p] + k;
      slot[i] = p;
      serial[i] = block.serial[p];
      crowd.storey[i] = storey;
      tier[i] = slow[1][p];
      doing[i] = slow[2][p];
      goal[i] = slow[3][p];
      speed[i] = block.speed[at];
      points[3 * i] = x[at];
      points[3 * i + 1] = y[at];
      points[3 * i + 2] = z ? z[at] : ground;
    }
    this.gatherNext(crowd, after, frame + 1);
    this.crowd = crowd;
    return true;
  }

  gatherNext(crowd, block, frame) {
    crowd.next.set(crowd.points);
    if (block) {
      const f = this.frames.within[frame], same = block === crowd.block;
      if (!same) for (let p = 0; p < block.people; p++) this.lookup[block.serial[p]] = p;
      for (let i = 0; i < crowd.count; i++) {
        const p = same ? crowd.slot[i] : this.lookup[crowd.serial[i]];
        if (p < 0) continue;
        const k = f - block.first[p];
        if (k < 0 || k >= block.count[p]) continue;
        const at = block.start[p] + k;
        crowd.next[3 * i] = block.x[at];
        crowd.next[3 * i + 1] = block.y[at];
        if (block.z) crowd.next[3 * i + 2] = block.z[at];
      }
      if (!same) for (let p = 0; p < block.people; p++) this.lookup[block.serial[p]] = -1;
    }
    for (let i = 0; i < crowd.count; i++) {
      const dx = crowd.next[3 * i] - crowd.points[3 * i], dy = crowd.next[3 * i + 1] - crowd.points[3 * i + 1];
      if (dx * dx + dy * dy > 1e-3) this.lastHeading[crowd.serial[i]] = Math.atan2(dy, dx);
      crowd.heading[i] = this.lastHeading[crowd.serial[i]];
    }
  }

  densities() {
    const crowd = this.crowd;
    if (crowd.density) return;
    this.near.sort(crowd.points, crowd.count);
    crowd.density = new Float32Array(crowd.count);
    const { points } = crowd;
    for (let i = 0; i < crowd.count; i++) crowd.density[i] = this.near.count(points[3 * i], points[3 * i + 1], points[3 * i + 2]) / DISC;
  }

  // Hands the crowd of the frame at hand to the graphics card.
  upload() {
    const { crowd, colouring } = this, { points, next, serial, heading } = crowd, { radius } = this.people;
    if (!this.floats || this.floats.length < 9 * crowd.count) this.floats = new Float32Array(9 * crowd.count);
    const { floats } = this, paints = new Uint32Array(floats.buffer), table = paintTable(colouring);
    let largest = 0;
    if (colouring.id === "density") this.densities();
    for (let i = 0, at = 0, k = 0; i < crowd.count; i++, at += 9, k += 3) {
      const own = radius[serial[i]];
      floats[at] = points[k];
      floats[at + 1] = points[k + 1];
      floats[at + 2] = points[k + 2];
      floats[at + 3] = next[k];
      floats[at + 4] = next[k + 1];
      floats[at + 5] = next[k + 2];
      const value = colouring.of(crowd, i);
      paints[at + 6] = colouring.kinds ? table[value % table.length] : table[value <= 0 ? 0 : Math.min(255, Math.floor(value / colouring.most * 255 + 0.5))];
      floats[at + 7] = own;
      floats[at + 8] = heading[i];
      if (own > largest) largest = own;
    }
    this.painter.setCrowd(floats.subarray(0, 9 * crowd.count), crowd.ranges, largest);
    if (this.on.heat) this.uploadHeat();
    if (this.on.routes) this.uploadRoutes();
    drawKey(element("key"), colouring, crowd);
    this.setDoors();
    this.shownFrame = crowd.frame;
  }

  uploadHeat() {
    const { crowd } = this;
    if (this.facts.plan) {
      this.heat.update(crowd.points, crowd.storey, crowd.count);
      this.painter.setHeat(this.heat);
      return;
    }
    const points = this.painter.heatPoints, density = new Float32Array(points.length / 3);
    this.near.sort(crowd.points, crowd.count);
    for (let v = 0, k = 0; v < density.length; v++, k += 3) density[v] = this.near.count(points[k], points[k + 1], points[k + 2]) / DISC;
    this.painter.setVertexHeat(density);
  }

  // The route that a person had at the time at hand.
  routeOf(serial) {
    const list = this.routes.get(serial);
    if (!list) return null;
    let found = null;
    for (const route of list) if (route.step * this.facts.dt <= this.time + 1e-9) found = route;
    return found;
  }

  uploadRoutes() {
    const lines = [], storeys = [];
    for (let i = 0; i < this.crowd.count && lines.length < 4000; i++) {
      const route = this.routeOf(this.crowd.serial[i]);
      if (!route) continue;
      lines.push(route.points);
      storeys.push(this.storey >= 0 ? this.crowd.storey[i] : this.scene.storeys.length - 1);
    }
    this.painter.setLines("routes", lines, (i) => storeys[i]);
  }

  get heatMost() { return this.colourings[1].most; }

  // Draws the moment at hand.
  draw() {
    const frame = this.frames.at(this.time);
    if (frame !== this.crowd.frame) {
      if (!this.gather(frame)) return false;
      this.stale = true;
    }
    if (this.stale) {
      this.upload();
      this.stale = false;
    }
    const next = this.frames.time[frame + 1], since = this.time - this.frames.time[frame];
    this.part = next === undefined ? 0 : Math.min(1, Math.max(0, since / (next - this.frames.time[frame])));
    const { theme } = this, t = theme, on = this.on, ratio = window.devicePixelRatio || 1;
    const lines = [
      on.regions && { name: "regions", colour: [...t.region, 0.75], width: 1 },
      on.graph && { name: "edges", colour: [...t.graph, 0.7], width: 1 },
      on.gates && { name: "gates", colour: [...t.gate, 0.9], width: 1.5, dash: 8 },
      on.areas && { name: "area-lines", colour: [...t.area, 0.7], width: 1.2, dash: 10 },
      { name: "obstacles", colour: [...t.obstacle, 1], width: 1.5 },
      { name: "doors-open", colour: [...t.open, 1], width: 2, dash: 7 },
      { name: "doors-closed", colour: [...t.shut, 1], width: 4 },
      { name: "walls", colour: [...t.wall, 1], width: 1.4, metres: 0.08 },
      on.lines && { name: "lines", colour: [...t.gate, 1], width: 2, dash: 12 },
      on.routes && { name: "routes", colour: [...t.route, 0.45], width: 1, above: true },
    ].filter(Boolean);
    this.painter.draw({
      camera: this.camera, theme: t, ratio, plan: this.facts.plan, storey: this.storey, part: this.part,
      heat: on.heat, heatMost: this.heatMost, kinds: Boolean(this.colouring.kinds),
      fills: on.areas ? [{ name: "areas", colour: [...t.area, 0.1] }] : [], lines,
    });
    this.drawOver(ratio);
    this.drawn++;
    return true;
  }

  placeOf(i) {
    const { points, next } = this.crowd;
    return [0, 1, 2].map((k) => points[3 * i + k] + (next[3 * i + k] - points[3 * i + k]) * this.part);
  }

  indexOf(serial) { return this.crowd.serial ? this.crowd.serial.indexOf(serial) : -1; }

  // Names, scale, movers and what belongs to the picked agent, over the crowd.
  drawOver(ratio) {
    const canvas = element("over"), c = canvas.getContext("2d"), { camera, crowd } = this, m = camera.matrix();
    const { ink, card: paper } = this.paper;
    // Names and scale stay while nobody moves the view: a browser need not take the sheet again.
    const moving = this.picked >= 0 || this.scene.movers.length > 0;
    const state = [...m, camera.width, camera.height, ratio, ink, this.storey, this.doorState, JSON.stringify(this.on), moving ? this.time : -1].join();
    if (state === this.overState) return;
    this.overState = moving ? "" : state;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, camera.width, camera.height);
    const project = (p) => camera.project(p[0], p[1], p[2], m);
    const label = (text, x, y, align = "center") => {
      c.font = "12px system-ui, sans-serif";
      c.textAlign = align;
      c.textBaseline = "middle";
      c.lineWidth = 3;
      c.lineJoin = "round";
      c.strokeStyle = paper;
      c.fillStyle = ink;
      c.strokeText(text, x, y);
      c.fillText(text, x, y);
    };
    this.scene.movers.forEach((mover, i) => {
      const at = crowd.block.movers.subarray(3 * (crowd.f * this.scene.movers.length + i)), p = project(at);
      if (!p) return;
      c.beginPath();
      c.arc(p[0], p[1], Math.max(3, mover.radius * p[2]), 0, 7);
      c.fillStyle = ink;
      c.globalAlpha = 0.75;
      c.fill();
      c.globalAlpha = 1;
      if (this.on.names) label(mover.name, p[0], p[1]);
    });
    if (this.on.names) this.drawNames(label, project);
    this.drawPicked(c, project, ink);
    if (!camera.solid) this.drawScale(c, label, ink);
  }

  drawNames(label, project) {
    const taken = [];
    const put = (text, at) => {
      const p = at && project(at);
      if (!text || text.includes("[") || !p) return;
      const box = [p[0] - 3.6 * text.length, p[1] - 8, p[0] + 3.6 * text.length, p[1] + 8];
      if (taken.some((o) => box[0] < o[2] && o[0] < box[2] && box[1] < o[3] && o[1] < box[3])) return;
      taken.push(box);
      label(text, p[0], p[1]);
    };
    if (this.scene.storeys.length > 1) {
      this.scene.storeys.forEach((s, i) => {
        if (this.storey < 0 && this.camera.solid) put(s.name, this.corners[i]);
      });
    }
    if (this.on.areas) {
      for (const shape of this.shapes) {
        if (this.storey >= 0 && shape.storey !== this.storey) continue;
        put(shape.name, shape.centre || middle(shape.rings[0]));
      }
    }
    if (this.on.lines) {
      for (const line of this.scene.lines) if (this.storey < 0 || line.storey === this.storey) put(line.name, middle(metres(line.points)));
    }
    for (const wall of this.doors) {
      if (this.storey < 0 || wall[2] === this.storey) put(this.scene.doors[wall[3]], middle(metres(wall[0])));
    }
  }

  drawPicked(c, project, ink) {
    const i = this.indexOf(this.picked);
    if (i < 0) return;
    const here = this.placeOf(i), p = project(here);
    if (!p) return;
    const polyline = (points, colour, width, dash) => {
      c.beginPath();
      for (const point of points) if (point) c.lineTo(point[0], point[1]);
      c.strokeStyle = colour;
      c.lineWidth = width;
      c.setLineDash(dash || []);
      c.stroke();
      c.setLineDash([]);
    };
    const route = this.routeOf(this.picked);
    if (route) {
      const points = [];
      for (let k = 0; k < route.points.length; k += 3) points.push(project(route.points.subarray(k, k + 3)));
      polyline(points, "#cc79a7", 3);
      const last = points[points.length - 1];
      if (last) {
        c.beginPath();
        c.arc(last[0], last[1], 5, 0, 7);
        c.fillStyle = "#cc79a7";
        c.fill();
      }
    }
    for (const other of this.seenNow() || []) {
      const k = this.indexOf(other), q = k >= 0 && project(this.placeOf(k));
      if (q) polyline([p, q], ink, 1, [2, 3]);
    }
    const detail = this.crowd.block.detailAt(this.crowd.slot[i], this.crowd.f);
    if (detail) {
      // One second ahead at these velocities.
      for (const [v, colour, dash] of [[detail.preferred, "#e69f00", [6, 4]], [detail.velocity, "#009e73", []]]) {
        const q = project(here.map((h, k) => h + v[k]));
        if (!q || Math.hypot(q[0] - p[0], q[1] - p[1]) < 2) continue;
        polyline([p, q], colour, 3, dash);
        const turn = Math.atan2(q[1] - p[1], q[0] - p[0]);
        polyline([0.5, 0, -0.5].map((a) => a === 0 ? q : [q[0] - 9 * Math.cos(turn + a), q[1] - 9 * Math.sin(turn + a)]), colour, 3);
      }
    }
    c.beginPath();
    c.arc(p[0], p[1], Math.max(7, this.people.radius[this.picked] * p[2] + 4), 0, 7);
    c.strokeStyle = ink;
    c.lineWidth = 2;
    c.stroke();
  }

  drawScale(c, label, ink) {
    const { scale, height } = this.camera;
    let length = 10 ** Math.floor(Math.log10(160 / scale));
    for (const factor of [5, 2]) if (length * factor * scale <= 160) { length *= factor; break; }
    const y = height - 22;
    c.strokeStyle = ink;
    c.lineWidth = 2;
    c.beginPath();
    c.moveTo(18, y - 5);
    c.lineTo(18, y);
    c.lineTo(18 + length * scale, y);
    c.lineTo(18 + length * scale, y - 5);
    c.stroke();
    label(`${number(length)} m`, 18 + length * scale + 8, y - 3, "left");
  }

  // Whom the picked agent saw when last recorded in this block.
  seenNow() {
    const list = this.crowd.block && this.crowd.block.seen.get(this.picked);
    if (!list) return null;
    let found = null;
    for (const look of list) if (look.frame <= this.crowd.f) found = look.seen;
    return found || list[0].seen;
  }

  // The agent at a pixel, or -1.
  agentAt(x, y) {
    const m = this.camera.matrix(), { crowd } = this;
    let best = -1, nearest = Infinity;
    for (let i = 0; i < crowd.count; i++) {
      if (this.storey >= 0 && crowd.storey[i] !== this.storey) continue;
      const { points, next } = crowd, k = 3 * i, t = this.part;
      const p = this.camera.project(points[k] + (next[k] - points[k]) * t, points[k + 1] + (next[k + 1] - points[k + 1]) * t, points[k + 2] + (next[k + 2] - points[k + 2]) * t, m);
      if (!p) continue;
      const away = Math.hypot(p[0] - x, p[1] - y), reach = Math.max(8, this.people.radius[crowd.serial[i]] * p[2]);
      // In space the nearer of two that are hit; over the plan the one that is hit best.
      const rank = this.camera.solid ? 1 / p[2] : away;
      if (away <= reach && rank < nearest) [best, nearest] = [i, rank];
    }
    return best;
  }

  pick(serial) {
    this.picked = serial;
    this.showAgent();
    this.dirty = true;
  }

  pickNextDetailed() {
    const { crowd } = this;
    if (!crowd.block) return;
    const serials = [...crowd.block.detailed.keys()].filter((slot) => crowd.block.detailAt(slot, crowd.f)).map((slot) => crowd.block.serial[slot]).sort((a, b) => a - b);
    // Those in view first; from a view without any the whole list is gone through.
    const { camera } = this, m = camera.matrix(), inView = serials.filter((serial) => {
      const i = this.indexOf(serial), p = i >= 0 && (this.storey < 0 || crowd.storey[i] === this.storey) && camera.project(...this.placeOf(i), m);
      return p && p[0] > 0 && p[1] > 0 && p[0] < camera.width && p[1] < camera.height;
    });
    if (inView.length) return this.pick(inView.find((s) => s > this.picked) ?? inView[0]);
    this.pick(serials.find((s) => s > this.picked) ?? serials[0] ?? -1);
  }

  showAgent() {
    const i = this.indexOf(this.picked), { crowd } = this;
    let picked = null;
    if (this.picked >= 0) {
      picked = { serial: this.picked, now: null };
      if (i >= 0) {
        this.near.sort(crowd.points, crowd.count);
        const density = this.near.count(...crowd.points.subarray(3 * i, 3 * i + 3)) / DISC;
        picked.now = { tier: crowd.tier[i], doing: crowd.doing[i], goal: crowd.goal[i], speed: crowd.speed[i], density, place: this.placeOf(i) };
        picked.detail = crowd.block.detailAt(crowd.slot[i], crowd.f);
        picked.seen = this.seenNow();
        const route = this.routeOf(this.picked);
        if (route) {
          let length = 0;
          for (let k = 3; k < route.points.length; k += 3) length += Math.hypot(...[0, 1, 2].map((a) => route.points[k + a] - route.points[k - 3 + a]));
          picked.route = { length, corners: Math.max(0, route.points.length / 3 - 2), time: route.step * this.facts.dt };
        }
      }
    }
    element("agent").innerHTML = agentText(this.facts, this.people, picked);
  }
}

// The middle of a line of points.
function middle(points) {
  const sum = [0, 0, 0];
  for (let i = 0; i < points.length; i++) sum[i % 3] += points[i];
  return sum.map((v) => v * 3 / points.length);
}

function circle({ centre, radius }) {
  const [x, y, z] = metres(centre);
  return Float32Array.from({ length: 48 * 3 }, (_, i) => [x + radius * Math.cos(Math.floor(i / 3) * Math.PI / 24), y + radius * Math.sin(Math.floor(i / 3) * Math.PI / 24), z][i % 3]);
}
