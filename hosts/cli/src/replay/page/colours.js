// Colours and marks: Cividis for quantities (Nuñez, Anderton and Renslow 2018), the eight colours
// of Okabe and Ito (2008) with marks of their own for kinds.

const CIVIDIS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];
const OKABE_ITO = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8a8f98"];
const MARKS = 6; // disc, square, triangle, diamond, cross, ring

function rgb(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

function cividis(share) {
  const at = Math.min(1, Math.max(0, share)) * (CIVIDIS.length - 1);
  const low = Math.min(CIVIDIS.length - 2, Math.floor(at)), part = at - low;
  const [a, b] = [rgb(CIVIDIS[low]), rgb(CIVIDIS[low + 1])];
  return a.map((v, i) => Math.round(v + (b[i] - v) * part));
}

// Colour and mark of a kind: marks change fastest after all colours are used.
function kindStyle(kind) {
  return { colour: OKABE_ITO[kind % 8], mark: (kind + Math.floor(kind / 8)) % MARKS };
}

// What the graphics card gets for each value: red, green, blue and mark in a word, low byte first.
const word = ([r, g, b], mark) => (r | g << 8 | b << 16 | mark << 24) >>> 0;
const QUANTITY_PAINTS = Uint32Array.from({ length: 256 }, (_, i) => word(cividis(i / 255), 0));
// After 48 kinds colours and marks come again.
const KIND_PAINTS = Uint32Array.from({ length: 48 }, (_, kind) => word(rgb(kindStyle(kind).colour), kindStyle(kind).mark));
const paintTable = (colouring) => colouring.kinds ? KIND_PAINTS : QUANTITY_PAINTS;

// A mark as a small picture, drawn as the shader draws it.
function markPicture(kind) {
  const { colour, mark } = kindStyle(kind);
  const shapes = [
    `<circle cx="0" cy="0" r="6.5"/>`,
    `<rect x="-5.7" y="-5.7" width="11.4" height="11.4"/>`,
    `<path d="M0-6.8 6.4 5.2-6.4 5.2Z"/>`,
    `<path d="M0-7.2 7.2 0 0 7.2-7.2 0Z"/>`,
    `<path d="M-2.3-6.8h4.6v4.5h4.5v4.6h-4.5v4.5h-4.6v-4.5h-4.5v-4.6h4.5Z"/>`,
    `<circle cx="0" cy="0" r="5" fill="none" stroke="${colour}" stroke-width="3"/>`,
  ];
  return `<svg viewBox="-8 -8 16 16" aria-hidden="true" fill="${colour}">${shapes[mark]}</svg>`;
}

// The next of 1, 2, 5, 10, … that is not below a value.
function roundAbove(value) {
  let step = 10 ** Math.floor(Math.log10(Math.max(value, 1e-6)));
  for (const factor of [1, 1.5, 2, 3, 4, 5, 6, 8, 10]) if (factor * step >= value * (1 - 1e-9)) return factor * step;
  return 10 * step;
}
