// What the model expected, what each layer would say, what it looked at.

function drawExpected() {
  const all = ids(),
    p = S.place,
    before = all.slice(Math.max(0, S.at - 24), S.at);
  const behind = element(
    "b",
    { data: { id: p.actual ? p.actual.id : "" } },
    p.actual ? called(p.actual.id) : "?",
  );
  byID("context").replaceChildren(
    (S.at > 24 ? "…" : "") +
      before
        .map((id) => S.model.vocab[id])
        .join("")
        .replace(/\n/g, "↵"),
    behind,
  );
  byID("actual").textContent = p.actual
    ? say(
        "actual",
        quoted(p.actual.id),
        nats(p.actual.surprise),
        percent(Math.exp(-p.actual.surprise)),
        p.actual.rank,
      )
    : say("nothingYet");
  const largest = p.expected[0].p;
  byID("guesses").replaceChildren(
    ...p.expected.map((g) => {
      const came = p.actual && p.actual.id === g.id;
      const button = element(
        "button",
        {
          type: "button",
          className: "guess",
          disabled: Boolean(FROZEN),
          title: say("goOn", quoted(g.id)),
          data: { id: g.id, p: g.p },
        },
        element("span", { className: "what" }, called(g.id)),
        element("span", { className: "bar" }, element("i", { set: { "--p": g.p / largest } })),
        element("span", { className: "number" }, percent(g.p)),
      );
      button.addEventListener("click", () => goOn(g.id));
      return element("li", { className: came ? "came" : "" }, button);
    }),
  );
  const others = Math.max(0, p.nucleus - p.expected.length);
  byID("rest").textContent = others
    ? say("rest", others, percent(p.rest))
    : say("nucleus", p.nucleus, S.model.vocab.length);
}

// goOn puts a token in the place of what came, and goes on from there.
function goOn(id) {
  S.text = S.text.slice(0, first() + S.at).concat(id);
  S.at = ids().length;
  attempt(showSource);
  refresh();
}

// showSource writes the text where another can be typed.
async function showSource() {
  const text = S.text;
  const source = await request("/api/text", text);
  if (text === S.text) byID("source").value = source;
}

// partName is the name of a part that is shown in a row.
function partName(part) {
  if (part === "embedding") return say("embedding");
  const [, layer, rest] = part.match(/^layer(\d+)(?:\.(.*))?$/);
  if (!rest) return say("layerN", layer);
  return (
    say("layerN", layer) +
    "\u00a0· " +
    (rest.startsWith("head") ? say("headN", rest.slice(4)) : say(rest === "ffn" ? "ffn" : "attentionPart"))
  );
}

function drawLayers() {
  const actual = S.place.actual;
  byID("stages").replaceChildren(
    ...S.place.stages.map((s) =>
      element(
        "li",
        { className: "stage", data: { part: s.part, nats: s.surprise || "" } },
        element("span", { className: "name" }, partName(s.part)),
        element(
          "span",
          { className: "tops" },
          ...s.top.map((g) =>
            element(
              "span",
              {
                className: "chip" + (actual && actual.id === g.id ? " came" : ""),
                title: percent(g.p),
                set: { "--p": g.p },
              },
              called(g.id),
            ),
          ),
        ),
        element(
          "span",
          { className: "bar" },
          element("i", { set: { "--p": actual ? Math.exp(-s.surprise) : s.top[0].p } }),
        ),
        element(
          "span",
          { className: "number" },
          actual ? percent(Math.exp(-s.surprise)) : percent(s.top[0].p),
        ),
      ),
    ),
  );
}

// paint draws the weights of a head as a square of pixels.
function paint(canvas, weights, query) {
  const n = weights.length,
    g = canvas.getContext("2d");
  canvas.width = canvas.height = n;
  g.fillStyle = getComputedStyle(canvas).getPropertyValue("color");
  g.clearRect(0, 0, n, n);
  weights.forEach((row, i) =>
    row.forEach((w, j) => {
      g.globalAlpha = Math.min(1, Math.sqrt(w));
      g.fillRect(j, i, 1, 1);
    }),
  );
  g.globalAlpha = 0.18;
  if (query !== undefined) g.fillRect(0, query, n, 1);
  g.globalAlpha = 1;
}

const isOff = (layer, head) =>
  ["", ".attention", ".head" + head].some((part) => S.off.has("layer" + layer + part));

function drawAttention() {
  if (!S.attention[S.model.layers] || !S.place) return;
  const { layers, heads } = S.model,
    box = byID("heads"),
    query = S.at - 1;
  box.style.setProperty("--heads", heads);
  const cells = [element("span", {})];
  for (let h = 1; h <= heads; h++) cells.push(element("span", { className: "label" }, h));
  for (let l = 1; l <= layers; l++) {
    cells.push(element("span", { className: "label" }, l));
    for (let h = 1; h <= heads; h++) {
      const chosen = l === S.layer && h === S.head,
        label = partName(`layer${l}.head${h}`),
        canvas = element("canvas");
      const button = element(
        "button",
        {
          type: "button",
          className: "head" + (isOff(l, h) ? " off" : ""),
          role: "radio",
          title: label,
          "aria-label": label,
          "aria-checked": chosen,
          tabIndex: chosen ? 0 : -1,
          data: { layer: l, head: h },
        },
        canvas,
      );
      button.addEventListener("click", () => chooseHead(l, h, true));
      cells.push(button);
    }
  }
  const focused = box.contains(document.activeElement);
  box.replaceChildren(...cells);
  for (const b of box.querySelectorAll("button"))
    paint(b.firstChild, S.attention[b.dataset.layer][b.dataset.head - 1]);
  if (focused) box.querySelector("[aria-checked=true]").focus();
  const weights = S.attention[S.layer][S.head - 1];
  paint(byID("map"), weights, query);
  drawLooks(weights[query]);
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
  drawAttention();
  if (focus) byID("heads").querySelector("[aria-checked=true]").focus();
}
