// The path of a token: from the embedding through attention and feed-forward network of
// each layer. A station says what the model would say if it ended there; each part is a
// switch, as thick as what it adds to the stream, with the loss without it.

function drawPath() {
  if (!S.place) return;
  const box = byID("stations");
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.part : "";
  const stages = Object.fromEntries(S.place.stages.map((s) => [s.part, s]));
  const sizes = Object.fromEntries(S.place.sizes.map((s) => [s.part, s.norm]));
  const largest = Math.max(...Object.values(sizes));
  const part = (name) => partButton(name, sizes[name], largest);
  const layers = [];
  for (let l = 1; l <= S.model.layers; l++) layers.push(layerOnPath("layer" + l, part, stages));
  box.replaceChildren(
    element(
      "li",
      { className: "embedded" },
      element("p", { className: "begin" }, element("span", {}, say("embedding")), band(sizes.embedding, largest)),
      says(stages.embedding),
    ),
    ...layers,
  );
  if (focused) box.querySelector(`[data-part="${focused}"]`).focus();
  byID("some-off").hidden = S.off.size === 0;
  byID("all-on").hidden = Boolean(FROZEN);
  byID("off-note").textContent = say("offNote", [...S.off].sort().map(partName).join(say("comma")));
}

// layerOnPath is a layer: a switch for all of it, attention with a switch for each head,
// and the feed-forward network.
function layerOnPath(layer, part, stages) {
  const heads = [];
  for (let h = 1; h <= S.model.heads; h++) heads.push(part(`${layer}.head${h}`));
  const station = (name, ...parts) => element("div", { className: "station" }, ...parts, says(stages[name]));
  return element(
    "li",
    { className: "layer" },
    part(layer),
    station(layer + ".attention", part(layer + ".attention"), element("div", { className: "heads-on-path" }, ...heads)),
    station(layer + ".ffn", part(layer + ".ffn")),
  );
}

// says is what the model would say if it ended at a place of the path, and the
// probability of the token that came.
function says(stage) {
  const { actual } = S.place,
    p = actual ? Math.exp(-stage.surprise) : stage.top[0].p;
  const came = actual ? quoted(actual.id) : quoted(stage.top[0].id);
  return element(
    "div",
    { className: "stage", data: { part: stage.part, nats: stage.surprise || "" } },
    element("span", { className: "tops" }, ...stage.top.map((g) => chip(g, actual && actual.id === g.id))),
    element(
      "span",
      { className: "number", title: say("saysLabel", came, percent(p)) },
      element("span", { className: "bar" }, element("i", { set: { "--p": p } })),
      percent(p),
    ),
  );
}

const chip = (guess, came) =>
  element(
    "span",
    { className: "chip" + (came ? " came" : ""), title: percent(guess.p), set: { "--p": guess.p } },
    called(guess.id),
  );

// band is as thick as what a part adds, beside the thickest of all.
function band(size, largest) {
  return element("span", { className: "size", title: say("sizeLabel", size.toFixed(2)), set: { "--p": size / largest } });
}

// spoken is what a button says only to those who hear it.
const spoken = (text) => element("span", { className: "hidden" }, text);

// shortName is what a part is called where its layer is known.
function shortName(part) {
  const [, layer, rest] = part.match(/^layer(\d+)(?:\.(.*))?$/);
  if (!rest) return say("layerN", layer);
  return rest.startsWith("head") ? say("headN", rest.slice(4)) : say(rest === "ffn" ? "ffn" : "attentionPart");
}

// partButton switches a part on and off, and says what is lost without it.
function partButton(part, size, largest) {
  const on = !S.off.has(part),
    without = S.without[part];
  const more = without ? without.loss - S.reading.loss : 0,
    share = Math.min(1, Math.abs(more) / 1.5);
  const text = !on ? say("off") : without ? signed(more) : "…";
  const rest = [
    size === undefined ? "" : say("sizeLabel", size.toFixed(2)),
    on && without ? say("withoutLabel", signed(more)) : "",
  ].filter(Boolean);
  const button = element(
    "button",
    {
      type: "button",
      className: "part",
      disabled: Boolean(FROZEN),
      title: [partName(part), ...rest].join(say("comma")),
      "aria-pressed": on,
      data: {
        part,
        more: without ? more : "",
        loss: without ? without.loss : "",
        size: size === undefined ? "" : size,
      },
      set: { "--more": more > 0 ? share : 0, "--less": more < 0 ? share : 0 },
    },
    spoken(partName(part) + ": "),
    element("span", { className: "name" }, shortName(part)),
    " ",
    element("span", { className: "more" }, text),
    spoken(say("comma") + rest.join(say("comma"))),
  );
  if (size !== undefined) button.append(band(size, largest));
  button.addEventListener("click", () => {
    if (on) S.off.add(part);
    else S.off.delete(part);
    refresh();
  });
  return button;
}
