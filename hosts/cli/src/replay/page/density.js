// Density from the recorded places: persons within 1.5 m, per square metre of that disc, which is
// how the metrics of the run measure it.

const DENSITY_RADIUS = 1.5;
const DISC = Math.PI * DENSITY_RADIUS * DENSITY_RADIUS;

// Places sorted into cells of 1.5 m, found by a hash.
class Near {
  constructor() { this.start = new Int32Array(0); }

  sort(points, count) {
    const cells = this.cells = Int32Array.from({ length: 3 * count }, (_, i) => Math.floor(points[i] / DENSITY_RADIUS));
    let size = 1024;
    while (size < 2 * count) size *= 2;
    this.mask = size - 1;
    const start = this.start = new Int32Array(size + 2), bucket = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      bucket[i] = this.hash(cells[3 * i], cells[3 * i + 1], cells[3 * i + 2]);
      start[bucket[i] + 2]++;
    }
    for (let b = 2; b < size + 2; b++) start[b] += start[b - 1];
    this.items = new Int32Array(count);
    for (let i = 0; i < count; i++) this.items[start[bucket[i] + 1]++] = i;
    this.points = points;
  }

  hash(x, y, z) {
    return ((Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) >>> 7) & this.mask;
  }

  // Persons within 1.5 m of a point.
  count(x, y, z) {
    const { cells, points } = this, limit = DENSITY_RADIUS * DENSITY_RADIUS + 1e-9;
    const cx = Math.floor(x / DENSITY_RADIUS), cy = Math.floor(y / DENSITY_RADIUS), cz = Math.floor(z / DENSITY_RADIUS);
    let found = 0;
    for (let k = cz - 1; k <= cz + 1; k++) for (let j = cy - 1; j <= cy + 1; j++) for (let i = cx - 1; i <= cx + 1; i++) {
      const b = this.hash(i, j, k);
      for (let e = this.start[b]; e < this.start[b + 1]; e++) {
        const p = 3 * this.items[e];
        if (cells[p] !== i || cells[p + 1] !== j || cells[p + 2] !== k) continue;
        const dx = points[p] - x, dy = points[p + 1] - y, dz = points[p + 2] - z;
        if (dx * dx + dy * dy + dz * dz <= limit) found++;
      }
    }
    return found;
  }
}

// The density on square cells, one sheet for each storey.
class HeatMap {
  constructor(low, high, storeys) {
    this.low = low;
    const [width, height] = [high[0] - low[0], high[1] - low[1]];
    this.cell = 0.5;
    while (Math.max(width, height) / this.cell > 600) this.cell *= 2;
    this.columns = Math.max(1, Math.ceil(width / this.cell));
    this.rows = Math.max(1, Math.ceil(height / this.cell));
    this.sheets = Array.from({ length: storeys }, () => new Float32Array(this.columns * this.rows));
  }

  // Counts for every cell the persons within 1.5 m of its middle.
  update(points, storey, count) {
    for (const sheet of this.sheets) sheet.fill(0);
    const { cell, columns, rows } = this, reach = DENSITY_RADIUS / cell, limit = reach * reach + 1e-9;
    for (let p = 0; p < count; p++) {
      const sheet = this.sheets[storey[p]] || this.sheets[0];
      const x = (points[3 * p] - this.low[0]) / cell - 0.5, y = (points[3 * p + 1] - this.low[1]) / cell - 0.5;
      const top = Math.min(rows - 1, Math.floor(y + reach)), last = Math.min(columns - 1, Math.floor(x + reach));
      for (let j = Math.max(0, Math.ceil(y - reach)); j <= top; j++) {
        for (let i = Math.max(0, Math.ceil(x - reach)); i <= last; i++) {
          if ((i - x) * (i - x) + (j - y) * (j - y) <= limit) sheet[j * columns + i] += 1 / DISC;
        }
      }
    }
  }
}
