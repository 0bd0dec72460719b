// What the model expected.

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
  const drawn = S.temperature !== 1 || S.topP !== 1; // by other probabilities than the model's own
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
        element(
          "span",
          { className: "bar" },
          element("i", { set: { "--p": g.p } }),
          ...(drawn ? [element("b", { title: say("rawLabel", percent(g.raw)), set: { "--p": g.raw } })] : []),
        ),
        element("span", { className: "number" }, percent(g.p)),
      );
      button.addEventListener("click", () => goOn(g.id));
      return element("li", { className: came ? "came" : "" }, button);
    }),
  );
  const others = Math.max(0, p.nucleus - p.expected.length);
  byID("rest").textContent =
    (others ? say("rest", others, percent(p.rest)) : say("nucleus", p.nucleus, S.model.vocab.length)) +
    (drawn ? " " + say("rawNote") : "");
}

// goOn puts a token in the place of what came, and goes on from there.
function goOn(id) {
  const kept = first() + S.at;
  S.text = S.text.slice(0, kept).concat(id);
  S.nats = S.nats.slice(0, kept);
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
