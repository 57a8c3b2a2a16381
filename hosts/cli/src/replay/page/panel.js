// What stands beside the crowd: colour key, layers, the picked agent, notes.

const element = (id) => document.getElementById(id);
const DOING = ["waits before setting off", "walks", "stays at its goal", "walks as commanded", "has no way to its goal"];

function escaped(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}

// What colours can stand for. Quantities have a unit and a largest value, kinds have names.
function colourings(facts, people) {
  const wanted = people.speed.slice().sort(), fastest = Math.max(0.5, wanted[Math.floor(0.95 * (wanted.length - 1))] || 0);
  const peak = facts.peaks.reduce((most, [, value]) => Math.max(most, value), 0.5);
  const avoidances = [...new Set(facts.tiers.map((t) => t.avoidance))];
  return [
    { id: "speed", name: "speed", unit: "m/s", most: Math.min(roundAbove(fastest), 5), about: `speed as simulated, to ${plain(facts.speed_quantum)} m/s`, of: (crowd, i) => crowd.speed[i] },
    { id: "density", name: "density", unit: "persons/m²", most: roundAbove(peak), about: facts.kernel, of: (crowd, i) => crowd.density[i] },
    { id: "tier", name: "tier", about: "level of detail", kinds: facts.tiers.map((t) => `level ${t.level}: ${t.avoidance}${t.period > 1 ? `, every ${t.period} steps` : ""}`), of: (crowd, i) => crowd.tier[i] },
    { id: "group", name: "group", about: "who walks together; colours and marks repeat", kinds: ["alone", "in groups"], of: (crowd, i) => people.group[crowd.serial[i]] < 0 ? 7 : people.group[crowd.serial[i]] % 7 + 8 * (Math.floor(people.group[crowd.serial[i]] / 7) % 5), kind: (crowd, i) => people.group[crowd.serial[i]] < 0 ? 0 : 1, pictures: [7, 0] },
    { id: "goal", name: "goal", about: "where each walks to now", kinds: ["a place of its own", ...facts.goals], of: (crowd, i) => crowd.goal[i] === 0 ? 7 : goalKind(crowd.goal[i]), kind: (crowd, i) => crowd.goal[i], pictures: [7, ...facts.goals.map((_, g) => goalKind(g + 1))] },
    { id: "avoidance", name: "avoidance", about: "the model that steers each", kinds: avoidances, of: (crowd, i) => avoidances.indexOf(facts.tiers[crowd.tier[i]].avoidance) },
  ];
}

// Kinds of goals leave out the grey one, which is for those without.
function goalKind(goal) {
  const index = goal - 1;
  return index % 7 + 8 * Math.floor(index / 7);
}

function drawKey(target, colouring, crowd) {
  if (!colouring.kinds) {
    let sum = 0;
    for (let i = 0; i < crowd.count; i++) sum += colouring.of(crowd, i);
    const mean = crowd.count ? sum / crowd.count : NaN;
    target.innerHTML = ramp(colouring.name, colouring.unit, colouring.most, colouring.about, mean);
    return;
  }
  const counts = new Map();
  for (let i = 0; i < crowd.count; i++) {
    const kind = (colouring.kind || colouring.of)(crowd, i);
    counts.set(kind, (counts.get(kind) || 0) + 1);
  }
  // Goals that nobody has would fill the list.
  const shown = colouring.kinds.map((name, kind) => [name, kind]).filter(([, kind]) => counts.has(kind) || colouring.kinds.length <= 6);
  target.innerHTML = `<p class="quantity">${colouring.name}: ${escaped(colouring.about)}; agents now</p><div class="kinds">${shown.map(([name, kind]) =>
    `${markPicture(colouring.pictures ? colouring.pictures[kind] : kind)}<span>${escaped(name)}</span><span>${counts.get(kind) || 0}</span>`).join("")}</div>`;
}

// A number as short as six digits allow.
const plain = (value) => String(Number(value.toPrecision(6)));

function ramp(name, unit, most, about, mean, fades = 0) {
  const stops = CIVIDIS.join(","), at = Math.min(100, 100 * mean / most);
  const mark = Number.isFinite(mean) ? `<i style="left:calc(${at}% - 1px)" title="mean now"></i>` : "";
  // As many steps as have the shortest numbers.
  const parts = [4, 5, 3].sort((a, b) => plain(most / a).length - plain(most / b).length)[0], digits = (plain(most / parts).split(".")[1] || "").length;
  const ticks = Array.from({ length: parts + 1 }, (_, i) => `<span>${i === 0 ? 0 : (i * most / parts).toFixed(digits)}${i === parts ? "+" : ""}</span>`).join("");
  const now = Number.isFinite(mean) ? `; mean now ${number(mean)}` : "";
  return `<p class="quantity"><b>${name}</b>, ${unit}${now}</p><div class="ramp" style="background:linear-gradient(90deg,var(--ground),transparent ${100 * fades / most}%),linear-gradient(90deg,${stops})">${mark}</div><div class="ticks">${ticks}</div><p class="quantity">${escaped(about)}</p>`;
}

function rows(pairs) {
  return `<dl class="facts">${pairs.filter(Boolean).map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join("")}</dl>`;
}

function vectorText(v) {
  const speed = Math.hypot(...v), turn = (Math.atan2(v[1], v[0]) * 180 / Math.PI + 360) % 360;
  return speed < 1e-9 ? "0 m/s" : `${speed.toFixed(2)} m/s at ${turn.toFixed(0)}°`;
}

// What is known of the picked agent now.
function agentText(facts, people, picked) {
  if (!picked) return `<p class="quantity">Click an agent${facts.people > facts.detailed ? `; N takes one of the ${facts.detailed} of ${facts.people} recorded in detail` : ""}.</p>`;
  const { serial, now, detail, route, seen } = picked;
  if (!now) return rows([["id", people.id[serial]], ["now", "is not there: not yet born, or gone"]]);
  const tier = facts.tiers[now.tier], missing = "recorded for others; press N";
  const place = now.place.map((v, i) => (v + facts.origin[i]).toFixed(2)).slice(0, facts.heights ? 3 : 2).join(", ");
  const source = people.source[serial], nav = facts.strategies.find((s) => s.slot === "nav" && s.tier === null);
  return rows([
    ["id", people.id[serial]],
    ["now", DOING[now.doing]],
    ["place", `${place} m`],
    ["from, to", `${escaped(facts.sources[source] || "a command")} → ${escaped(now.goal ? facts.goals[now.goal - 1] : "a place of its own")}`],
    ["profile", `${escaped(facts.profiles[people.profile[serial]] || "–")}, radius ${people.radius[serial].toFixed(2)} m, wants ${people.speed[serial].toFixed(2)} m/s`],
    ["group", people.group[serial] < 0 ? "alone" : `group ${people.group[serial]}`],
    ["strategies", `nav ${escaped(nav ? nav.id : "–")}, guide ${escaped(tier.guide)}, cost ${escaped(tier.cost)}, avoidance ${escaped(tier.avoidance)}, follow ${escaped(tier.follow)} (level ${tier.level})`],
    ["speed", `${now.speed.toFixed(1)} m/s`],
    ["density", `${now.density.toFixed(2)} persons/m²`],
    ["velocity", detail ? `<i class="swatch" style="border-color:#009e73"></i>${vectorText(detail.velocity)}` : missing],
    ["preferred", detail ? `<i class="swatch" style="border-color:#e69f00;border-top-style:dashed"></i>${vectorText(detail.preferred)}` : missing],
    ["neighbours", seen ? `${seen.length} seen by ${escaped(tier.avoidance)} (within ${number(tier.reach)} m, at most ${tier.most})` : tier.reach > 0 ? missing : "this model looks at nobody"],
    ["route", route ? `<i class="swatch" style="border-color:#cc79a7"></i>${route.length.toFixed(1)} m, ${route.corners} corners, planned at ${route.time.toFixed(1)} s` : "none recorded"],
  ]);
}

function aboutText(facts, rate) {
  let size = 0;
  for (const part of document.querySelectorAll("script[id]")) size += part.textContent.length;
  const notes = [
    `Places are recorded every ${rate} to ${plain(facts.quantum * 100)} cm, speeds to ${plain(facts.speed_quantum)} m/s; between two frames agents are drawn on the straight line.`,
    `${facts.detailed} of ${facts.people} agents are recorded with velocities, preferred velocities and neighbours${facts.routes_of_all ? "" : " and routes"}.`,
    `Density: ${facts.kernel}; agents and heat map from recorded places, the curves from the simulation's samples.`,
    ...facts.notes,
  ];
  if (facts.routes_full) notes.push("Routes late in the run are left out: there were too many.");
  return notes.map((n) => `<p>${escaped(n)}</p>`).join("") + `<p>Throng ${facts.version}, ${(size / 1e6).toFixed(1)} MB.</p>`;
}
