// What the model looked at: the weights of attention of every head.

// paint draws the weights of a head as a square of pixels; the row of query stands out.
function paint(canvas, weights, query, color) {
  const n = weights.length,
    context = canvas.getContext("2d"),
    image = context.createImageData(n, n),
    ink = color.match(/[\d.]+/g).map(Number);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const w = j <= i ? Math.min(1, Math.sqrt(weights[i][j])) : 0;
      image.data.set([ink[0], ink[1], ink[2], 255 * (i === query ? 0.18 + 0.82 * w : w)], 4 * (i * n + j));
    }
  }
  canvas.width = canvas.height = n;
  context.putImageData(image, 0, 0);
}

const isOff = (layer, head) =>
  ["", ".attention", ".head" + head].some((part) => S.off.has("layer" + layer + part));

// drawHeads makes a small picture of each head: a row for each layer.
function drawHeads() {
  const { layers, heads } = S.model,
    box = byID("heads");
  if (!S.attention[layers]) return;
  box.style.setProperty("--heads", heads);
  const cells = [element("span", {})];
  for (let h = 1; h <= heads; h++) cells.push(element("span", { className: "label" }, heads > 8 ? h : say("headN", h)));
  for (let l = 1; l <= layers; l++) {
    cells.push(element("span", { className: "label" }, say("layerN", l)));
    for (let h = 1; h <= heads; h++) cells.push(headButton(l, h));
  }
  const focused = box.contains(document.activeElement);
  box.replaceChildren(...cells);
  for (const b of box.querySelectorAll("button")) {
    paint(b.firstChild, S.attention[b.dataset.layer][b.dataset.head - 1], -1, getComputedStyle(b.firstChild).color);
  }
  drawAttention(focused);
}

function headButton(layer, head) {
  const label = partName(`layer${layer}.head${head}`);
  const button = element(
    "button",
    {
      type: "button",
      className: "head" + (isOff(layer, head) ? " off" : ""),
      role: "radio",
      title: label,
      "aria-label": label,
      data: { layer, head },
    },
    element("canvas"),
  );
  button.addEventListener("click", () => chooseHead(layer, head, true));
  return button;
}

// drawAttention shows the chosen head, and what it looked at from the chosen token.
function drawAttention(focus = false) {
  if (!S.attention[S.model.layers] || !S.place) return;
  for (const b of byID("heads").querySelectorAll("button")) {
    const chosen = Number(b.dataset.layer) === S.layer && Number(b.dataset.head) === S.head;
    b.setAttribute("aria-checked", chosen);
    b.tabIndex = chosen ? 0 : -1;
    if (chosen && focus) b.focus();
  }
  S.cursor = null;
  drawMap();
  drawArcs();
}

// weights are those of the chosen head: a row for each token that looks.
const weights = () => S.attention[S.layer][S.head - 1];

// MAP has the room for the tokens at the axes, in pixels of the page, and their size.
const MAP = { most: 64, gap: 4, font: 12, least: 9 };

// drawMap draws the weights of the chosen head with the tokens at both axes: who looks
// from top to bottom, who is looked at from left to right.
function drawMap() {
  const canvas = byID("map"),
    n = ids().length,
    side = canvas.clientWidth || 320,
    scale = devicePixelRatio || 1;
  canvas.width = canvas.height = Math.round(side * scale);
  const c = canvas.getContext("2d"),
    color = (id) => getComputedStyle(byID(id)).color,
    style = { fontFamily: getComputedStyle(canvas).fontFamily, ink: color("name"), soft: color("map-note") };
  c.scale(scale, scale);
  c.font = `${MAP.font}px ${style.fontFamily}`;
  const names = ids().map((id) => shortened(called(id)));
  const left = Math.min(MAP.most, Math.max(MAP.font, ...names.map((t) => c.measureText(t).width)) + MAP.gap);
  const cell = (side - left) / n;
  S.map = { left, cell };
  const small = document.createElement("canvas");
  paint(small, weights(), S.at - 1, color("map"));
  c.imageSmoothingEnabled = false;
  c.drawImage(small, left, left, cell * n, cell * n);
  drawAxes(c, names, style);
  if (S.cursor) {
    c.strokeStyle = style.ink;
    c.strokeRect(left + S.cursor.key * cell, left + S.cursor.query * cell, cell, cell);
  }
  sayMap();
}

// shortened is a token that fits an axis.
const shortened = (text) => ([...text].length > 7 ? [...text].slice(0, 6).join("") + "…" : text);

// drawAxes writes tokens beside the rows and, turned, above the columns: all of them
// where there is room, else every second, third …
function drawAxes(c, names, style) {
  const { left, cell } = S.map,
    every = Math.ceil(MAP.least / cell),
    place = S.cursor || { query: S.at - 1, key: -1 };
  const one = names.every((t) => [...t].length < 2); // characters need not be turned
  c.font = `${Math.min(MAP.font, Math.max(MAP.least, cell))}px ${style.fontFamily}`;
  c.textBaseline = "middle";
  names.forEach((name, i) => {
    const middle = left + (i + 0.5) * cell;
    const write = (chosen, draw) => {
      if (i % every && !chosen) return;
      c.fillStyle = chosen ? style.ink : style.soft;
      draw();
    };
    c.textAlign = "right";
    write(i === place.query, () => c.fillText(name, left - MAP.gap, middle));
    write(i === place.key, () => {
      c.save();
      c.translate(middle, left - MAP.gap);
      if (!one) c.rotate(-Math.PI / 2);
      c.textAlign = one ? "center" : "left";
      c.textBaseline = one ? "bottom" : "middle";
      c.fillText(name, 0, 0);
      c.restore();
    });
  });
}

// sayMap says what is under the cursor.
function sayMap() {
  const all = ids(),
    note = byID("map-note");
  byID("map").setAttribute("aria-label", say("mapLabel", partName(`layer${S.layer}.head${S.head}`)));
  if (!S.cursor) {
    note.textContent = say("mapNote");
    note.dataset.w = "";
    return;
  }
  const { query, key } = S.cursor;
  const w = key <= query ? weights()[query][key] : 0;
  note.dataset.w = w;
  note.textContent =
    key > query
      ? say("mapHidden", quoted(all[query]), quoted(all[key]))
      : say("mapCell", quoted(all[query]), quoted(all[key]), query - key, percent(w));
}

// pointAt moves the cursor of the map; null takes it away.
function pointAt(query, key) {
  const last = ids().length - 1,
    within = (i) => Math.min(Math.max(i, 0), last);
  S.cursor = query === null ? null : { query: within(query), key: within(key) };
  drawMap();
}

// under is the cell of the map under the pointer.
function under(e) {
  const { left, cell } = S.map;
  return [Math.floor((e.offsetY - left) / cell), Math.floor((e.offsetX - left) / cell)];
}

// drawArcs draws over the text where the chosen head looks, from the token before the
// chosen one: an arc is as strong as the weight.
function drawArcs() {
  const all = ids(),
    query = S.at - 1,
    row = weights()[query],
    box = byID("arcs").parentElement.getBoundingClientRect();
  const top = (t) => {
    const r = byID("tokens").querySelector(`[data-t="${t}"]`).getClientRects()[0];
    return [r.left + r.width / 2 - box.left, r.top - box.top + 4];
  };
  const strongest = row.map((w, t) => [w, t]).sort((a, b) => b[0] - a[0]);
  const [x, y] = top(query);
  byID("arcs").replaceChildren(
    ...strongest
      .filter(([w]) => w >= 0.01)
      .slice(0, 32)
      .map(([w, t]) => arc(x, y, ...top(t), w, t)),
    svg("circle", { cx: x, cy: y, r: 3 }),
  );
  byID("looks-note").textContent =
    say(
      "attentionFrom",
      S.at < all.length ? quoted(all[S.at]) : say("theNext"),
      quoted(all[query]),
      partName(`layer${S.layer}.head${S.head}`),
    ) +
    " " +
    strongest
      .slice(0, 3)
      .map(([w, t]) => say(t === query ? "lookedHere" : "looked", quoted(all[t]), percent(w), query - t))
      .join(say("comma"));
  byID("attention-note").textContent = say("attentionNote");
}

// arc is a line from one place of the text to another: a bow within a line, and from line
// to line it leaves and arrives from above.
function arc(x, y, toX, toY, w, t) {
  const rise = Math.abs(y - toY) < 2 ? Math.min(22, 7 + Math.abs(x - toX) / 9) : 16;
  return svg("path", {
    d: `M${x},${y} C${x},${y - rise} ${toX},${toY - rise} ${toX},${toY}`,
    "stroke-width": (0.75 + 3 * w).toFixed(2),
    opacity: (0.15 + 0.85 * Math.sqrt(w)).toFixed(2),
    "data-t": t,
    "data-w": w,
  });
}

function chooseHead(layer, head, focus) {
  S.layer = Math.min(Math.max(layer, 1), S.model.layers);
  S.head = Math.min(Math.max(head, 1), S.model.heads);
  drawAttention(focus);
}
