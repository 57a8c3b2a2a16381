// Reads the recording: sections of the page, numbers of few bytes, blocks of frames.
// What is written is described in packer.rs and recording.rs.

async function section(name) {
  const text = document.getElementById(name).textContent.trim();
  const coded = atob(text);
  const bytes = new Uint8Array(coded.length);
  for (let i = 0; i < coded.length; i++) bytes[i] = coded.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function jsonSection(name) {
  return JSON.parse(new TextDecoder().decode(await section(name)));
}

class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  get more() { return this.at < this.bytes.length; }
  varint() {
    let value = 0, scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }
  signed() {
    const value = this.varint();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
  take(count) {
    const part = this.bytes.subarray(this.at, this.at + count);
    this.at += count;
    return part;
  }
}

// Constants of everybody, by order of first appearance.
function readPeople(bytes, count) {
  const people = {
    id: new Float64Array(count), source: new Int32Array(count), profile: new Int32Array(count),
    group: new Int32Array(count), radius: new Float32Array(count), speed: new Float32Array(count),
  };
  const reader = new Reader(bytes);
  for (let i = 0; i < count; i++) {
    people.id[i] = reader.varint();
    people.source[i] = reader.varint() - 1;
    people.profile[i] = reader.varint();
    people.group[i] = reader.varint() - 1;
    people.radius[i] = reader.varint() / 1e3;
    people.speed[i] = reader.varint() / 1e3;
  }
  return people;
}

// Routes by person: lists of { step, points }, in the order of time.
function readRoutes(bytes, quantum) {
  const routes = new Map(), reader = new Reader(bytes);
  while (reader.more) {
    const serial = reader.varint(), step = reader.varint(), count = reader.varint();
    const points = new Float32Array(3 * count), now = [0, 0, 0];
    for (let i = 0; i < 3 * count; i++) points[i] = (now[i % 3] += reader.signed()) * quantum;
    if (!routes.has(serial)) routes.set(serial, []);
    routes.get(serial).push({ step, points });
  }
  return routes;
}

// Differences of which two share a byte: two lists, or one of neighbours.
function pairs(reader, count, inARow) {
  const codes = reader.take(count), escapes = new Reader(reader.take(reader.varint()));
  const first = new Int32Array(inARow ? 2 * count : count), second = inARow ? first : new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const code = codes[i], a = inARow ? 2 * i : i, b = inARow ? a + 1 : i;
    first[a] = code === 255 ? escapes.signed() : Math.floor(code / 15) - 7;
    second[b] = code === 255 ? escapes.signed() : code % 15 - 7;
  }
  return inARow ? first : [first, second];
}

const SLOW = ["storey", "tier", "doing", "goal"];

class Block {
  constructor(bytes, facts, moverCount) {
    const reader = new Reader(bytes);
    this.frames = reader.varint();
    const people = this.people = reader.varint();
    const numbers = (read) => Int32Array.from({ length: people }, read);
    let serial = 0;
    this.serial = numbers(() => serial += reader.signed());
    this.first = numbers(() => reader.varint());
    this.count = numbers(() => reader.varint());
    this.start = new Int32Array(people + 1);
    for (let p = 0; p < people; p++) this.start[p + 1] = this.start[p] + this.count[p];
    this.initial = SLOW.map(() => numbers(() => reader.varint()));
    const changes = reader.varint();
    this.changes = Int32Array.from({ length: 4 * changes }, () => reader.varint());
    const total = this.start[people], codes = total - people, half = Math.ceil(codes / 2);
    const [xKeys, yKeys] = [this.keys(reader), this.keys(reader)], [x, y] = pairs(reader, codes, false);
    this.x = this.column(xKeys, x, facts.quantum, true);
    this.y = this.column(yKeys, y, facts.quantum, true);
    const zKeys = facts.heights ? this.keys(reader) : null;
    this.z = zKeys && this.column(zKeys, pairs(reader, half, true), facts.quantum, true);
    const speedKeys = this.keys(reader);
    this.speed = this.column(speedKeys, pairs(reader, half, true), facts.speed_quantum, false);
    this.readDetails(reader, facts);
    this.readSeen(reader);
    this.movers = new Float32Array(3 * moverCount * this.frames);
    for (let i = 0; i < this.movers.length && reader.more; i++) this.movers[i] = reader.signed() * facts.quantum;
    this.slow = { frame: -1, change: 0, now: null };
  }

  // Keyframes, each as the difference to the one before in the list.
  keys(reader) {
    let key = 0;
    return Int32Array.from({ length: this.people }, () => key += reader.signed());
  }

  // Adds up second differences (or first ones, for speeds) from the keyframes, person by person.
  column(keys, changes, quantum, second) {
    const values = new Float32Array(this.start[this.people]);
    let change = 0, out = 0;
    for (let p = 0; p < this.people; p++) {
      let at = keys[p], pace = 0;
      values[out++] = at * quantum;
      for (let i = 1; i < this.count[p]; i++) {
        const before = at;
        at += pace + changes[change++];
        if (second) pace = at - before;
        values[out++] = at * quantum;
      }
    }
    return values;
  }

  readDetails(reader, facts) {
    const count = reader.varint(), axes = facts.heights ? 3 : 2;
    this.detailed = new Map();
    const slots = Array.from({ length: count }, () => reader.varint());
    for (const slot of slots) this.detailed.set(slot, []);
    for (let column = 0; column < 2 * axes; column++) {
      for (const slot of slots) {
        const bytes = reader.take(this.count[slot]), values = new Float32Array(bytes.length);
        let now = 0;
        for (let i = 0; i < bytes.length; i++) {
          now = (now + bytes[i]) << 24 >> 24;
          values[i] = now * facts.velocity_quantum;
        }
        this.detailed.get(slot).push(values);
      }
    }
    this.axes = axes;
  }

  readSeen(reader) {
    const count = reader.varint(), part = new Reader(reader.take(reader.varint()));
    this.seen = new Map();
    for (let i = 0; i < count; i++) {
      const frame = part.varint(), serial = part.varint(), number = part.varint();
      const seen = Array.from({ length: number }, () => serial + part.signed());
      if (!this.seen.has(serial)) this.seen.set(serial, []);
      this.seen.get(serial).push({ frame, seen });
    }
  }

  // The slow columns as they are in a frame.
  slowAt(frame) {
    const slow = this.slow;
    if (slow.frame > frame || !slow.now) {
      slow.now = this.initial.map((column) => column.slice());
      slow.change = 0;
    }
    for (; slow.change < this.changes.length && this.changes[slow.change] <= frame; slow.change += 4) {
      const [, slot, column, value] = this.changes.subarray(slow.change, slow.change + 4);
      slow.now[column][slot] = value;
    }
    slow.frame = frame;
    return slow.now;
  }

  // Velocity and preferred velocity of a person in a frame, if it is recorded in detail.
  detailAt(slot, frame) {
    const columns = this.detailed.get(slot), at = frame - this.first[slot];
    if (!columns || at < 0 || at >= this.count[slot]) return null;
    const vector = (which) => [0, 1, 2].map((axis) => axis < this.axes ? columns[which * this.axes + axis][at] : 0);
    return { velocity: vector(0), preferred: vector(1) };
  }
}

// Frames by number, unpacked block by block as they are wanted.
class Frames {
  constructor(facts, moverCount) {
    this.facts = facts;
    this.moverCount = moverCount;
    this.block = [];
    this.within = [];
    this.time = [];
    facts.blocks.forEach((entry, b) => {
      for (let f = 0; f < entry.frames; f++) {
        this.block.push(b);
        this.within.push(f);
        this.time.push((entry.step + f * entry.every) * facts.dt);
      }
    });
    this.open = new Map();
    this.coming = new Map();
    this.unpackMillis = 0;
  }

  get length() { return this.time.length; }

  // The last frame that is not after a time.
  at(time) {
    let low = 0, high = this.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= time + 1e-9) low = middle; else high = middle - 1;
    }
    return low;
  }

  async load(b) {
    if (this.open.has(b)) return this.open.get(b);
    if (!this.coming.has(b)) {
      this.coming.set(b, (async () => {
        const bytes = await section(`block-${b}`);
        const began = performance.now();
        const block = new Block(bytes, this.facts, this.moverCount);
        this.unpackMillis += performance.now() - began;
        this.open.set(b, block);
        this.coming.delete(b);
        return block;
      })());
    }
    return this.coming.get(b);
  }

  // The block of a frame if it is open; the next one is sent for.
  opened(frame) {
    const b = this.block[frame];
    for (const other of [b, b + 1]) {
      if (other < this.facts.blocks.length && !this.open.has(other)) this.load(other);
    }
    for (const key of this.open.keys()) {
      if (this.open.size > 5 && Math.abs(key - b) > 1) this.open.delete(key);
    }
    return this.open.get(b);
  }
}
