// Drawing with WebGL2: ground, density, areas, lines and the crowd. Agents are points whose shape
// the fragment shader cuts out; lines are widened in the vertex shader. Nothing is instanced.

const GROUND_VERTEX = `#version 300 es
uniform mat4 matrix;
uniform vec2 low, size;
in vec3 place, normal;
in float density;
out vec2 cell;
out vec3 facing;
out float thick;
void main() {
  gl_Position = matrix * vec4(place, 1.0);
  cell = (place.xy - low) / size;
  facing = normal;
  thick = density;
}`;

// Densities below this fade into the ground, persons per square metre.
const FADES_BELOW = 0.3;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
#define FADES float(${FADES_BELOW})
uniform vec4 colour;
uniform sampler2D sheet, ramp;
uniform int heat;
uniform float most, shading;
uniform vec3 light;
in vec2 cell;
in vec3 facing;
in float thick;
out vec4 result;
void main() {
  vec4 base = colour;
  if (heat > 0) {
    float density = heat == 1 ? texture(sheet, cell).r : thick;
    float share = clamp(density / most, 0.0, 1.0);
    vec3 hot = texture(ramp, vec2((share * 255.0 + 0.5) / 256.0, 0.5)).rgb;
    // Empty ground keeps its own colour, and a lone person colours it by half.
    float there = min(density / FADES, 1.0);
    base = vec4(mix(base.rgb, hot, there), mix(base.a, max(base.a, 0.9), there));
  }
  float lit = mix(1.0, 0.55 + 0.45 * abs(dot(normalize(facing), light)), shading);
  result = vec4(base.rgb * lit * base.a, base.a);
}`;

const PLAIN_FRAGMENT = `#version 300 es
precision mediump float;
uniform vec4 colour;
out vec4 result;
void main() { result = vec4(colour.rgb * colour.a, colour.a); }`;

// Moves a point of clip space towards the viewer by `lift` metres in depth alone.
const LIFTED = `
uniform float lift, depth;
vec4 lifted(vec4 p) {
  float z = depth < 0.0 ? (p.z + depth * lift) / max(p.w - lift, 1e-4) * p.w : p.z - depth * lift;
  return vec4(p.xy, z, p.w);
}`;

const LINE_VERTEX = `#version 300 es
uniform mat4 matrix;
uniform vec2 screen;
uniform float width, metres, pixels;
${LIFTED}
in vec3 a, b;
in vec2 corner;
out float along, aside, band;
void main() {
  vec4 p = matrix * vec4(a, 1.0), q = matrix * vec4(b, 1.0);
  // Ends behind the viewer are drawn up to the plane just before it.
  float near = 1e-4;
  if (p.w < near && q.w > near) p = mix(p, q, (near - p.w) / (q.w - p.w));
  if (q.w < near && p.w > near) q = mix(q, p, (near - q.w) / (p.w - q.w));
  vec2 way = (q.xy / q.w - p.xy / p.w) * screen * 0.5;
  float apart = length(way);
  way = apart > 1e-6 ? way / apart : vec2(1.0, 0.0);
  vec4 end = mix(p, q, corner.x);
  float wide = max(width, metres * pixels / end.w) * 0.5;
  // A pixel more on each side fades out: the edge is smooth without help of the card.
  band = wide;
  aside = corner.y * (wide + 1.0);
  vec2 off = vec2(-way.y, way.x) * aside + way * (corner.x - 0.5) * wide * 0.6;
  gl_Position = lifted(vec4(end.xy + off * 2.0 / screen * end.w, end.zw));
  along = corner.x * apart;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 colour;
uniform float dash;
in float along, aside, band;
out vec4 result;
void main() {
  if (dash > 0.0 && mod(along, dash) > dash * 0.6) discard;
  float cover = colour.a * clamp(band + 0.5 - abs(aside), 0.0, 1.0);
  result = vec4(colour.rgb * cover, cover);
}`;

const FILL_VERTEX = `#version 300 es
uniform mat4 matrix;
in vec3 place;
void main() { gl_Position = matrix * vec4(place, 1.0); }`;

const CROWD_VERTEX = `#version 300 es
uniform mat4 matrix;
uniform float part, pixels, least, ratio;
${LIFTED}
uniform int tiny;
in vec3 place, next;
in vec4 paint;
in float radius, heading;
out vec4 colour;
flat out float mark;
flat out float angle;
flat out float size;
void main() {
  gl_Position = matrix * vec4(mix(place, next, part), 1.0);
  size = max(2.0 * radius * pixels / gl_Position.w, least);
  gl_PointSize = (size + (tiny > 0 ? 1.0 : 2.0)) * ratio;
  gl_Position = lifted(gl_Position);
  angle = heading;
  // The last byte of the paint is no transparency but the mark.
  colour = vec4(paint.rgb, 1.0);
  mark = floor(paint.a * 255.0 + 0.5);
}`;

const CROWD_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 edge;
uniform float turned, halo;
in vec4 colour;
flat in float mark;
flat in float angle;
flat in float size;
out vec4 result;
void main() {
  // Pixels from the middle, y up.
  vec2 at = (gl_PointCoord - 0.5) * vec2(1.0, -1.0) * (size + 2.0);
  float r = size * 0.5;
  float away;
  vec2 q = abs(at);
  if (mark < 0.5) away = length(at) - r;
  else if (mark < 1.5) away = max(q.x, q.y) - r * 0.88;
  else if (mark < 2.5) away = max(q.x * 0.866 + at.y * 0.5, -at.y) - r * 0.62;
  else if (mark < 3.5) away = (q.x + q.y - r * 1.1) * 0.7071;
  else if (mark < 4.5) away = min(max(q.x - r * 0.33, q.y - r), max(q.y - r * 0.33, q.x - r));
  else away = abs(length(at) - r * 0.75) - r * 0.28;
  float inside = clamp(0.5 - away, 0.0, 1.0);
  if (inside <= 0.0) discard;
  vec3 paint = colour.rgb;
  if (halo > 0.5 && size > 9.0) paint = mix(paint, edge, clamp(away + 1.8, 0.0, 1.0));
  else if (size > 7.0) {
    float rim = clamp(away + 1.2, 0.0, 1.0);
    paint = mix(paint, edge, rim * 0.55);
    if (turned > 0.5 && angle < 9.0 && size > 11.0) {
      // A notch from the middle to the front: where the agent goes.
      vec2 way = vec2(cos(angle), sin(angle));
      float ahead = dot(at, way), aside = abs(dot(at, vec2(-way.y, way.x)));
      float notch = clamp(1.0 - max(aside - max(size * 0.05, 0.6), max(-ahead, ahead - r * 0.85)), 0.0, 1.0);
      float light = dot(paint, vec3(0.3, 0.59, 0.11));
      paint = mix(paint, light > 0.5 ? vec3(0.08) : vec3(1.0), notch * 0.9);
    }
  } else paint = mix(paint, edge, 0.4 * clamp(away + 1.0, 0.0, 1.0));
  result = vec4(paint * inside, inside);
}`;

// Where nobody is large enough to show a mark or a heading: plain discs, many times as cheap where
// a processor draws.
const TINY_FRAGMENT = `#version 300 es
precision highp float;
uniform float ratio;
uniform vec3 edge;
in vec4 colour;
flat in float mark;
flat in float angle;
flat in float size;
out vec4 result;
void main() {
  float away = length(gl_PointCoord - 0.5) * (size + 1.0) * ratio - size * ratio * 0.5;
  float inside = clamp(0.5 - away, 0.0, 1.0);
  // A darker rim keeps the light end of the colours apart from light ground.
  result = vec4(mix(colour.rgb, edge, 0.4 * clamp(away + 1.0, 0.0, 1.0)) * inside, inside);
}`;

// Whether a processor stands in for the graphics card: smoothing each edge would cost it the most.
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const more = gl && gl.getExtension("WEBGL_debug_renderer_info");
  return Boolean(more) && /swiftshader|llvmpipe|software|basic render/i.test(gl.getParameter(more.UNMASKED_RENDERER_WEBGL));
}

const CROWD_PARTS = [["place", 3], ["next", 3], ["paint", 1], ["radius", 1], ["heading", 1]];

class Painter {
  constructor(canvas, scene, { plan }, fills) {
    // Plans need no depth and scenes without areas no stencil: clearing them costs a processor much.
    const gl = this.gl = canvas.getContext("webgl2", { antialias: !drawsInSoftware(), depth: !plan, stencil: fills, alpha: false });
    if (!gl) throw new Error("This browser offers no WebGL2, which the replay draws with.");
    this.canvas = canvas;
    this.programs = {
      ground: this.program(GROUND_VERTEX, GROUND_FRAGMENT),
      line: this.program(LINE_VERTEX, LINE_FRAGMENT),
      fill: this.program(FILL_VERTEX, PLAIN_FRAGMENT),
      crowd: this.program(CROWD_VERTEX, CROWD_FRAGMENT),
      tiny: this.program(CROWD_VERTEX, TINY_FRAGMENT),
    };
    this.storeys = scene.storeys.length;
    this.ramp = this.strip(Array.from({ length: 256 }, (_, i) => cividis(i / 255)));
    this.buildGround(scene);
    this.crowd = { vao: gl.createVertexArray(), buffer: gl.createBuffer(), ranges: [], count: 0 };
    this.batches = new Map();
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthFunc(gl.LEQUAL);
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    // Programs that draw the crowd share its buffers.
    CROWD_PARTS.forEach(([name], at) => vertex === CROWD_VERTEX && gl.bindAttribLocation(program, at, name));
    gl.bindAttribLocation(program, 0, "place");
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  texture() {
    const gl = this.gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
    return texture;
  }

  strip(colours) {
    const gl = this.gl, texture = this.texture();
    const bytes = new Uint8Array(colours.flatMap((c) => [...c, 255]));
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, colours.length, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return texture;
  }

  // Attributes of interleaved floats: names with their sizes.
  attributes(program, vao, buffer, parts) {
    const gl = this.gl;
    gl.bindVertexArray(vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    const stride = 4 * parts.reduce((sum, [, size]) => sum + size, 0);
    let offset = 0;
    for (const [name, size] of parts) {
      const at = gl.getAttribLocation(program.program, name);
      if (at >= 0) {
        gl.enableVertexAttribArray(at);
        if (name === "paint") gl.vertexAttribPointer(at, 4, gl.UNSIGNED_BYTE, true, stride, offset);
        else gl.vertexAttribPointer(at, size, gl.FLOAT, false, stride, offset);
      }
      offset += 4 * size;
    }
    gl.bindVertexArray(null);
  }

  buildGround(scene) {
    const gl = this.gl, { vertices, triangles, triangle_storey: storey } = scene;
    const count = triangles.length / 3;
    const order = Array.from({ length: count }, (_, t) => t).sort((a, b) => storey[a] - storey[b] || a - b);
    const floats = new Float32Array(count * 18);
    this.corners = new Uint32Array(count * 3);
    this.groundRanges = Array.from({ length: this.storeys }, () => [0, 0]);
    order.forEach((t, place) => {
      const p = [0, 1, 2].map((k) => {
        const v = triangles[3 * t + k];
        this.corners[3 * place + k] = v;
        return [vertices[3 * v] / 1e3, vertices[3 * v + 1] / 1e3, vertices[3 * v + 2] / 1e3];
      });
      const u = p[1].map((v, i) => v - p[0][i]), w = p[2].map((v, i) => v - p[0][i]);
      const normal = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
      const length = Math.hypot(...normal) || 1;
      p.forEach((point, k) => floats.set([...point, ...normal.map((v) => v / length)], 18 * place + 6 * k));
      const range = this.groundRanges[storey[t]];
      if (range[1] === 0) range[0] = 3 * place;
      range[1] += 3;
    });
    const buffer = gl.createBuffer();
    this.ground = gl.createVertexArray();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, floats, gl.STATIC_DRAW);
    this.attributes(this.programs.ground, this.ground, buffer, [["place", 3], ["normal", 3]]);
    this.densityBuffer = gl.createBuffer();
    this.sheets = Array.from({ length: this.storeys }, () => this.texture());
  }

  setHeat(heat) {
    const gl = this.gl;
    this.heatLow = heat.low;
    this.heatSize = [heat.columns * heat.cell, heat.rows * heat.cell];
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    heat.sheets.forEach((sheet, storey) => {
      gl.bindTexture(gl.TEXTURE_2D, this.sheets[storey]);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32F, heat.columns, heat.rows, 0, gl.RED, gl.FLOAT, sheet);
    });
  }

  // Densities at the corners of a mesh that is no plan.
  setVertexHeat(density) {
    const gl = this.gl, at = gl.getAttribLocation(this.programs.ground.program, "density");
    const floats = Float32Array.from(this.corners, (v) => density[v]);
    gl.bindVertexArray(this.ground);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.densityBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, floats, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 1, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
  }

  // Lines as lists of points in metres, by storey, under a name.
  setLines(name, lines, storeyOf = () => 0) {
    const gl = this.gl;
    if (this.batches.has(name)) {
      const old = this.batches.get(name);
      gl.deleteBuffer(old.buffer);
      gl.deleteVertexArray(old.vao);
    }
    const sorted = lines.map((line, i) => [line, storeyOf(i)]).sort((a, b) => a[1] - b[1]);
    const total = sorted.reduce((sum, [line]) => sum + Math.max(0, line.length / 3 - 1), 0);
    const floats = new Float32Array(total * 48), ranges = Array.from({ length: this.storeys }, () => [0, 0]);
    const corners = [[0, -1], [0, 1], [1, -1], [1, -1], [0, 1], [1, 1]];
    let segment = 0;
    for (const [line, storey] of sorted) {
      const range = ranges[storey] || ranges[0];
      for (let i = 0; i + 5 < line.length; i += 3) {
        if (range[1] === 0) range[0] = 6 * segment;
        range[1] += 6;
        corners.forEach((corner, k) => {
          const at = 48 * segment + 8 * k;
          for (let c = 0; c < 6; c++) floats[at + c] = line[i + c];
          floats[at + 6] = corner[0];
          floats[at + 7] = corner[1];
        });
        segment++;
      }
    }
    const buffer = gl.createBuffer(), vao = gl.createVertexArray();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, floats, gl.STATIC_DRAW);
    this.attributes(this.programs.line, vao, buffer, [["a", 3], ["b", 3], ["corner", 2]]);
    this.batches.set(name, { buffer, vao, ranges });
  }

  // Closed rings that are filled where an odd number of them lies about a pixel.
  setFills(name, shapes) {
    const gl = this.gl, floats = [], ranges = [];
    for (const { rings, storey } of shapes) {
      const first = floats.length / 3;
      for (const ring of rings) {
        for (let i = 3; i + 5 < ring.length; i += 3) floats.push(ring[0], ring[1], ring[2], ...ring.slice(i, i + 6));
      }
      ranges.push({ storey, first, count: floats.length / 3 - first });
    }
    const buffer = gl.createBuffer(), vao = gl.createVertexArray();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(floats), gl.STATIC_DRAW);
    this.attributes(this.programs.fill, vao, buffer, [["place", 3]]);
    this.batches.set(name, { vao, ranges });
  }

  // The crowd: nine words for each (place, next place, paint, radius, heading), by storey.
  setCrowd(floats, ranges, largest) {
    const gl = this.gl, crowd = this.crowd;
    crowd.largest = largest;
    gl.bindBuffer(gl.ARRAY_BUFFER, crowd.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, floats, gl.DYNAMIC_DRAW);
    this.attributes(this.programs.crowd, crowd.vao, crowd.buffer, CROWD_PARTS);
    crowd.ranges = ranges;
  }

  use(name) {
    const program = this.programs[name];
    this.gl.useProgram(program.program);
    return program.uniforms;
  }

  // Draws what `look` says: camera, theme, storeys, what is on.
  draw(look) {
    const gl = this.gl, { camera, theme } = look, matrix = camera.matrix();
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...theme.outside, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    // Stacked floors are seen through; a curved surface hides what is behind it.
    const opaque = !look.plan;
    if (opaque) gl.enable(gl.DEPTH_TEST); else gl.disable(gl.DEPTH_TEST);
    const lift = opaque ? Math.max(0.25, camera.distance * 0.003) : 0;
    for (let storey = 0; storey < this.storeys; storey++) {
      if (look.storey >= 0 && storey !== look.storey) continue;
      this.drawGround(look, matrix, storey);
      for (const fill of look.fills) this.drawFill(fill, matrix, storey);
      for (const line of look.lines) if (!line.above) this.drawLines(line, look, matrix, storey, lift);
      this.drawCrowd(look, matrix, storey, lift * 2);
      for (const line of look.lines) if (line.above) this.drawLines(line, look, matrix, storey, lift * 3);
    }
  }

  drawGround(look, matrix, storey) {
    const gl = this.gl, [first, count] = this.groundRanges[storey];
    if (count === 0) return;
    // Without density and shading the ground is one colour.
    const plain = !look.heat && !look.camera.solid, u = this.use(plain ? "fill" : "ground"), stacked = look.camera.solid && look.plan && this.storeys > 1 && look.storey < 0;
    gl.uniformMatrix4fv(u.matrix, false, matrix);
    gl.uniform4f(u.colour, ...look.theme.ground, stacked ? 0.55 : 1);
    gl.bindVertexArray(this.ground);
    if (plain) return gl.drawArrays(gl.TRIANGLES, first, count);
    gl.uniform1f(u.shading, look.camera.solid ? 1 : 0);
    gl.uniform3f(u.light, 0.36, -0.48, 0.8);
    gl.uniform1i(u.heat, look.heat ? (look.plan ? 1 : 2) : 0);
    gl.uniform1f(u.most, look.heatMost);
    gl.uniform2f(u.low, ...(this.heatLow || [0, 0]).slice(0, 2));
    gl.uniform2f(u.size, ...(this.heatSize || [1, 1]));
    gl.uniform1i(u.sheet, 0);
    gl.uniform1i(u.ramp, 1);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.ramp);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.sheets[storey]);
    gl.drawArrays(gl.TRIANGLES, first, count);
  }

  drawFill({ name, colour }, matrix, storey) {
    const gl = this.gl, batch = this.batches.get(name);
    if (!batch) return;
    const u = this.use("fill");
    gl.uniformMatrix4fv(u.matrix, false, matrix);
    gl.uniform4f(u.colour, ...colour);
    gl.bindVertexArray(batch.vao);
    gl.enable(gl.STENCIL_TEST);
    for (const range of batch.ranges) {
      if (range.storey !== storey || range.count === 0) continue;
      gl.colorMask(false, false, false, false);
      gl.depthMask(false);
      gl.stencilFunc(gl.ALWAYS, 0, 1);
      gl.stencilOp(gl.KEEP, gl.KEEP, gl.INVERT);
      gl.drawArrays(gl.TRIANGLES, range.first, range.count);
      gl.colorMask(true, true, true, true);
      // Where the count is odd; drawing takes the mark away again.
      gl.stencilFunc(gl.EQUAL, 1, 1);
      gl.stencilOp(gl.ZERO, gl.ZERO, gl.ZERO);
      gl.drawArrays(gl.TRIANGLES, range.first, range.count);
      gl.depthMask(true);
    }
    gl.disable(gl.STENCIL_TEST);
  }

  drawLines({ name, colour, width, metres = 0, dash = 0 }, look, matrix, storey, lift) {
    const gl = this.gl, batch = this.batches.get(name);
    if (!batch || batch.ranges[storey][1] === 0) return;
    const u = this.use("line"), ratio = look.ratio;
    gl.uniformMatrix4fv(u.matrix, false, matrix);
    gl.uniform2f(u.screen, this.canvas.width, this.canvas.height);
    gl.uniform1f(u.width, width * ratio);
    gl.uniform1f(u.metres, metres);
    gl.uniform1f(u.pixels, look.camera.pixels * ratio);
    gl.uniform1f(u.lift, lift);
    gl.uniform1f(u.depth, look.camera.depth);
    gl.uniform1f(u.dash, dash * ratio);
    gl.uniform4f(u.colour, ...colour);
    gl.bindVertexArray(batch.vao);
    gl.drawArrays(gl.TRIANGLES, ...batch.ranges[storey]);
  }

  drawCrowd(look, matrix, storey, lift) {
    const gl = this.gl, range = this.crowd.ranges[storey];
    if (!range || range[1] === 0) return;
    const tiny = !look.camera.solid && (!look.kinds || look.heat) && 2 * this.crowd.largest * look.camera.pixels < 6;
    // Dots would hide the density map: seen from so far it shows the crowd alone.
    if (tiny && look.heat) return;
    const u = this.use(tiny ? "tiny" : "crowd");
    gl.uniformMatrix4fv(u.matrix, false, matrix);
    gl.uniform1i(u.tiny, tiny ? 1 : 0);
    gl.uniform1f(u.part, look.part);
    gl.uniform1f(u.pixels, look.camera.pixels);
    gl.uniform1f(u.least, look.heat ? 2.5 : 3.5);
    gl.uniform1f(u.lift, lift);
    gl.uniform1f(u.depth, look.camera.depth);
    gl.uniform1f(u.ratio, look.ratio);
    gl.uniform1f(u.halo, look.heat ? 1 : 0);
    gl.uniform1f(u.turned, look.camera.solid ? 0 : 1);
    // Over the density map a rim of paper keeps agents apart from it.
    gl.uniform3f(u.edge, ...(look.heat ? look.theme.ground : look.theme.edge));
    gl.bindVertexArray(this.crowd.vao);
    gl.drawArrays(gl.POINTS, ...range);
  }
}
