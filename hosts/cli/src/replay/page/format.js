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

// Small numbers packed by how often they come in a context; entropy.rs describes it.
const FITS = 15, SYMBOLS = 2 * FITS + 2, SHARE_BITS = 11, SHARE_MASK = (1 << SHARE_BITS) - 1, LEAST_STATE = 1 << 23;
let symbolTable = new Uint8Array(0);

class Numbers {
  constructor(reader, contexts) {
    this.share = new Uint16Array(contexts * SYMBOLS);
    this.begin = new Uint16Array(contexts * SYMBOLS);
    // Which symbol a step of a context belongs to; one table serves one list after another.
    if (symbolTable.length < contexts << SHARE_BITS) symbolTable = new Uint8Array(contexts << SHARE_BITS);
    this.symbol = symbolTable;
    for (let context = 0; context < contexts; context++) {
      const mask = reader.varint();
      let sum = 0;
      for (let symbol = 0; symbol < SYMBOLS; symbol++) {
        if (Math.floor(mask / 2 ** symbol) % 2 === 0) continue;
        const share = reader.varint(), at = context * SYMBOLS + symbol, base = context << SHARE_BITS;
        this.share[at] = share;
        this.begin[at] = sum;
        this.symbol.fill(symbol, base + sum, base + sum + share);
        sum += share;
      }
    }
    this.escapes = new Reader(reader.take(reader.varint()));
    this.code = reader.take(reader.varint());
    this.state = (this.code[0] << 24 | this.code[1] << 16 | this.code[2] << 8 | this.code[3]);
    this.at = 4;
  }

  next(context) {
    const step = this.state & SHARE_MASK, symbol = this.symbol[(context << SHARE_BITS) + step], at = context * SYMBOLS + symbol;
    let state = this.share[at] * (this.state >> SHARE_BITS) + step - this.begin[at];
    while (state < LEAST_STATE) state = state << 8 | this.code[this.at++];
    this.state = state;
    return symbol === SYMBOLS - 1 ? this.escapes.signed() : symbol - FITS;
  }
}

// How large a change is: 0, 1, 2, or 3 for all others.
const small = (change) => change < 0 ? (change < -3 ? 3 : -change) : (change > 3 ? 3 : change);
const AXIS_CONTEXTS = 65, SPEED_CONTEXTS = 112, DETAIL_CONTEXTS = 16;

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
    this.readWalks(reader, facts);
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

  // Places and speeds: second differences and first ones are added up from the keyframes, person
  // by person. The context of each number is that of packer.rs.
  readWalks(reader, facts) {
    const axes = facts.heights ? 3 : 2, total = this.start[this.people];
    const keys = Array.from({ length: axes + 1 }, () => this.keys(reader));
    const paceSpeed = reader.varint(), numbers = new Numbers(reader, axes * AXIS_CONTEXTS + SPEED_CONTEXTS);
    const columns = Array.from({ length: axes + 1 }, () => new Float32Array(total));
    const { quantum, speed_quantum: speedQuantum } = facts, speeds = columns[axes], speedBase = axes * AXIS_CONTEXTS;
    const at = new Int32Array(3), pace = new Int32Array(3);
    // How large the last change of each axis was, and the one before.
    const before = new Int32Array(3), earlier = new Int32Array(3);
    // As Numbers.next does, written out: millions of calls would take twice the time.
    const { share, begin, symbol: symbols, code, escapes } = numbers;
    let { state, at: cursor } = numbers;
    for (let p = 0; p < this.people; p++) {
      const first = this.start[p], end = this.start[p + 1];
      let speed = keys[axes][p], changed = 3;
      for (let axis = 0; axis < axes; axis++) {
        at[axis] = keys[axis][p];
        columns[axis][first] = at[axis] * quantum;
        pace[axis] = 0;
        before[axis] = earlier[axis] = 3;
      }
      speeds[first] = speed * speedQuantum;
      for (let i = first + 1; i < end; i++) {
        let last = before[1], walked = 0, turned = 0;
        for (let axis = 0; axis < axes; axis++) {
          const context = axis * AXIS_CONTEXTS + (i === first + 1 ? AXIS_CONTEXTS - 1 : 16 * before[axis] + 4 * earlier[axis] + last);
          const step = state & SHARE_MASK, symbol = symbols[(context << SHARE_BITS) + step], entry = context * SYMBOLS + symbol;
          state = Math.imul(share[entry], state >> SHARE_BITS) + step - begin[entry];
          while (state < LEAST_STATE) state = state << 8 | code[cursor++];
          const change = symbol === SYMBOLS - 1 ? escapes.signed() | 0 : symbol - FITS, size = change < 0 ? -change : change;
          const now = pace[axis] + change;
          pace[axis] = now;
          columns[axis][i] = (at[axis] += now) * quantum;
          last = size > 3 ? 3 : size;
          earlier[axis] = before[axis];
          before[axis] = last;
          walked += now * now;
          turned += size;
        }
        const ahead = (Math.min(Math.sqrt(walked) * paceSpeed / 65536 + 0.5, 1e9) | 0) - speed | 0;
        const context = speedBase + 16 * ((ahead < -3 ? -3 : ahead > 3 ? 3 : ahead) + 3) + 4 * changed + (turned > 3 ? 3 : turned);
        const step = state & SHARE_MASK, symbol = symbols[(context << SHARE_BITS) + step], entry = context * SYMBOLS + symbol;
        state = Math.imul(share[entry], state >> SHARE_BITS) + step - begin[entry];
        while (state < LEAST_STATE) state = state << 8 | code[cursor++];
        const change = symbol === SYMBOLS - 1 ? escapes.signed() | 0 : symbol - FITS;
        changed = small(change);
        speeds[i] = (speed += change) * speedQuantum;
      }
    }
    [this.x, this.y] = columns;
    this.z = facts.heights ? columns[2] : null;
    this.speed = speeds;
  }

  readDetails(reader, facts) {
    const count = reader.varint(), axes = facts.heights ? 3 : 2;
    this.detailed = new Map();
    const slots = Array.from({ length: count }, () => reader.varint());
    for (const slot of slots) this.detailed.set(slot, []);
    const numbers = new Numbers(reader, 2 * DETAIL_CONTEXTS);
    for (let column = 0; column < 2 * axes; column++) {
      for (const slot of slots) {
        const values = new Float32Array(this.count[slot]), base = Math.floor(column / axes) * DETAIL_CONTEXTS;
        let now = 0, before = 3, earlier = 3;
        for (let i = 0; i < values.length; i++) {
          const change = numbers.next(base + 4 * small(before) + small(earlier));
          [before, earlier] = [change, before];
          values[i] = (now += change) * facts.velocity_quantum;
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
