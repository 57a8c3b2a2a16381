// Drawing with WebGL2: ground, density, areas, lines and the crowd. Agents are points whose shape
// the fragment shader cuts out; lines are widened in the vertex shader. Nothing is instanced.

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
    this.buildGround(scene, plan);
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

  // Triangles by storey. On a mesh that is no plan they are cut into equal parts, so that densities
  // at their corners, the heat points, tell apart who stands a metre or two from another.
  buildGround(scene, plan) {
    const gl = this.gl, { vertices, triangles, triangle_storey: storey } = scene, count = triangles.length / 3;
    const corner = (t, k) => [0, 1, 2].map((axis) => vertices[3 * triangles[3 * t + k] + axis] / 1e3);
    let side = 0;
    for (let t = 0; t < count; t++) side += Math.hypot(...corner(t, 1).map((v, i) => v - corner(t, 0)[i])) / count;
    let parts = plan ? 1 : Math.max(1, Math.ceil(side));
    while (parts > 1 && count * parts * parts > 60000) parts--;
    this.heatSpacing = side / parts;
    const order = Array.from({ length: count }, (_, t) => t).sort((a, b) => storey[a] - storey[b] || a - b);
    const floats = new Float32Array(count * parts * parts * 18), points = [], known = new Map();
    this.corners = new Uint32Array(plan ? 0 : count * parts * parts * 3);
    this.groundRanges = Array.from({ length: this.storeys }, () => [0, 0]);
    let place = 0;
    for (const t of order) {
      const [o, p, q] = [0, 1, 2].map((k) => corner(t, k)), u = p.map((v, i) => v - o[i]), w = q.map((v, i) => v - o[i]);
      const normal = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]], length = Math.hypot(...normal) || 1;
      const range = this.groundRanges[storey[t]];
      if (range[1] === 0) range[0] = place;
      range[1] += 3 * parts * parts;
      const put = (i, j) => {
        const point = o.map((v, axis) => v + (u[axis] * i + w[axis] * j) / parts);
        floats.set([...point, ...normal.map((v) => v / length)], 6 * place);
        if (!plan) {
          const key = point.map((v) => Math.round(v * 1e3)).join();
          if (!known.has(key)) {
            known.set(key, known.size);
            points.push(...point);
          }
          this.corners[place] = known.get(key);
        }
        place++;
      };
      for (let i = 0; i < parts; i++) {
        for (let j = 0; i + j < parts; j++) {
          put(i, j), put(i + 1, j), put(i, j + 1);
          if (i + j + 1 < parts) put(i + 1, j), put(i + 1, j + 1), put(i, j + 1);
        }
      }
    }
    this.heatPoints = Float32Array.from(points);
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

  // Densities at the heat points of a mesh that is no plan.
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
