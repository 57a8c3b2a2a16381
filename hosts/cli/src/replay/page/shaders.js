// What the graphics card runs: ground, lines, fills and the crowd.

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
