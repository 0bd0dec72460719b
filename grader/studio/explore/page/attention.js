// What the model looked at: the weights of attention of every head.

// paint draws the weights of a head as a square of pixels; the row of query stands out.
function paint(canvas, weights, query) {
  const n = weights.length,
    context = canvas.getContext("2d"),
    image = context.createImageData(n, n),
    ink = getComputedStyle(canvas)
      .color.match(/[\d.]+/g)
      .map(Number);
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
  for (let h = 1; h <= heads; h++) cells.push(element("span", { className: "label" }, h));
  for (let l = 1; l <= layers; l++) {
    cells.push(element("span", { className: "label" }, l));
    for (let h = 1; h <= heads; h++) cells.push(headButton(l, h));
  }
  const focused = box.contains(document.activeElement);
  box.replaceChildren(...cells);
  for (const b of box.querySelectorAll("button")) {
    paint(b.firstChild, S.attention[b.dataset.layer][b.dataset.head - 1]);
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
  const weights = S.attention[S.layer][S.head - 1];
  paint(byID("map"), weights, S.at - 1);
  drawLooks(weights[S.at - 1]);
}

// drawLooks shows the text as the chosen head sees it from the chosen token.
function drawLooks(row) {
  const all = ids(),
    query = S.at - 1;
  byID("looks").replaceChildren(
    ...all.map((id, t) =>
      element(
        "span",
        {
          className: "looked" + (t === query ? " from" : t > query ? " later" : ""),
          data: { t, w: t <= query ? row[t] : "" },
          set: { "--w": t <= query ? Math.sqrt(row[t]).toFixed(3) : 0 },
        },
        ...written(id),
      ),
    ),
  );
  const top = row
    .map((w, t) => [w, t])
    .sort((a, b) => b[0] - a[0])
    .slice(0, 3);
  byID("looks-note").textContent = top
    .map(([w, t]) => say(t === query ? "lookedHere" : "looked", quoted(all[t]), percent(w), query - t))
    .join(say("comma"));
  const head = partName(`layer${S.layer}.head${S.head}`);
  byID("attention-note").textContent = say("attentionNote", head, quoted(all[query]));
  byID("map").setAttribute("aria-label", say("mapLabel", head));
}

function chooseHead(layer, head, focus) {
  S.layer = Math.min(Math.max(layer, 1), S.model.layers);
  S.head = Math.min(Math.max(head, 1), S.model.heads);
  drawAttention(focus);
}
