// Where the viewer is: over the plan, or on an orbit about a point.

class Camera {
  constructor(low, high, outline) {
    this.low = low;
    this.high = high;
    this.outline = outline;
    this.solid = false;
    this.width = this.height = 1;
    this.centre = [0, 0];
    this.scale = 1;
    this.target = [0, 0, 0];
    this.distance = 10;
    this.shift = [0, 0];
    this.yaw = -0.6;
    this.pitch = 0.9;
    // Heights are drawn so many times as large in 3D.
    this.stretch = 1;
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
  }

  fit() {
    const [low, high] = [this.low, this.high];
    const size = high.map((v, i) => Math.max(v - low[i], 0.5) * (i === 2 ? this.stretch : 1));
    this.centre = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    this.scale = 0.92 * Math.min(this.width / size[0], this.height / size[1]);
    this.target = low.map((v, i) => (v + high[i]) / 2 * (i === 2 ? this.stretch : 1));
    this.yaw = -0.6;
    this.pitch = this.stretch > 1 ? 0.7 : 0.9;
    this.distance = 1.5 * Math.hypot(...size);
    if (this.solid) this.fillStage();
  }

  // Moves nearer until the outline, a list of points, fills the stage. The picture is shifted, not
  // the target: turning goes on about the middle.
  fillStage() {
    this.shift = [0, 0];
    for (let turn = 0; turn < 8; turn++) {
      const m = this.matrix(), low = [Infinity, Infinity], high = [-Infinity, -Infinity];
      for (const point of this.outline) {
        const p = this.project(...point, m);
        if (!p) return;
        const at = [2 * p[0] / this.width - 1, 1 - 2 * p[1] / this.height];
        for (const axis of [0, 1]) {
          low[axis] = Math.min(low[axis], at[axis]);
          high[axis] = Math.max(high[axis], at[axis]);
        }
      }
      this.shift = this.shift.map((v, axis) => v - (low[axis] + high[axis]) / 2);
      this.distance *= Math.max(high[0] - low[0], high[1] - low[1]) / 2 / 0.92;
    }
  }

  get focal() { return 1.6; }

  axes() {
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const right = [cy, sy, 0], up = [-sy * sp, cy * sp, cp], back = [sy * cp, -cy * cp, sp];
    return { right, up, back };
  }

  // How depth in clip space grows with metres: below 0 in perspective, above 0 without.
  get depth() {
    if (this.solid) return -(this.far + this.near) / (this.far - this.near);
    return 1 / (1 + Math.max(Math.abs(this.low[2]), Math.abs(this.high[2])) * 2);
  }

  get near() { return this.distance / 100; }
  get far() { return this.distance * 20; }

  // Column-major matrix from metres to clip space.
  matrix() {
    if (!this.solid) {
      const x = 2 * this.scale / this.width, y = 2 * this.scale / this.height;
      return new Float32Array([x, 0, 0, 0, 0, y, 0, 0, 0, 0, -this.depth, 0, -x * this.centre[0], -y * this.centre[1], 0, 1]);
    }
    const { right, up, back } = this.axes(), dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const eye = this.target.map((v, i) => v + back[i] * this.distance);
    const { near, far } = this;
    const fy = this.focal, fx = fy * this.height / this.width;
    const za = -(far + near) / (far - near), zb = -2 * far * near / (far - near);
    const m = new Float32Array(16);
    for (let i = 0; i < 3; i++) {
      m[4 * i] = fx * right[i];
      m[4 * i + 1] = fy * up[i];
      m[4 * i + 2] = za * back[i];
      m[4 * i + 3] = -back[i];
    }
    m[12] = -fx * dot(right, eye);
    m[13] = -fy * dot(up, eye);
    m[14] = -za * dot(back, eye) + zb;
    m[15] = dot(back, eye);
    for (let i = 8; i < 12; i++) m[i] *= this.stretch;
    for (let i = 0; i < 16; i += 4) for (const axis of [0, 1]) m[i + axis] += this.shift[axis] * m[i + 3];
    return m;
  }

  // Pixels per metre where w is the last clip coordinate.
  get pixels() { return this.solid ? this.focal * this.height / 2 : this.scale; }

  // Pixel of a point, and the pixels that a metre has there; nothing behind the viewer.
  project(x, y, z, m = this.matrix()) {
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    if (w <= 1e-6) return null;
    const cx = (m[0] * x + m[4] * y + m[8] * z + m[12]) / w, cy = (m[1] * x + m[5] * y + m[9] * z + m[13]) / w;
    return [(cx + 1) / 2 * this.width, (1 - cy) / 2 * this.height, this.pixels / w];
  }

  pan(dx, dy) {
    if (!this.solid) {
      this.centre[0] -= dx / this.scale;
      this.centre[1] += dy / this.scale;
      return;
    }
    const { right, up } = this.axes(), metre = this.distance / this.pixels;
    this.target = this.target.map((v, i) => v - right[i] * dx * metre + up[i] * dy * metre);
  }

  turn(dx, dy) {
    this.shift = this.shift.map((v) => v * 0.97);
    this.yaw -= dx * 0.006;
    this.pitch = Math.min(1.57, Math.max(this.freely ? -1.57 : 0.05, this.pitch + dy * 0.006));
  }

  zoom(factor, px = this.width / 2, py = this.height / 2) {
    if (this.solid) {
      this.distance = Math.min(1e5, Math.max(0.5, this.distance / factor));
      return;
    }
    const before = this.scale;
    this.scale = Math.min(2000, Math.max(0.01, this.scale * factor));
    // What is under the pointer stays there.
    const change = 1 / before - 1 / this.scale;
    this.centre[0] += (px - this.width / 2) * change;
    this.centre[1] -= (py - this.height / 2) * change;
  }
}
