// The text with the surprise of each token.

// written is a token as it is to be read; a line's end gets a sign.
function written(id) {
  const text = S.model.vocab[id];
  if (text === "\n") return [element("span", { className: "sign" }, "↵"), "\n"];
  if (text === "") return [element("span", { className: "sign" }, "▷")];
  return [text];
}

// called is a token within a sentence or a row.
function called(id) {
  const text = S.model.vocab[id];
  if (text === "") return "▷";
  return text.replace(/\n/g, "↵").replace(/^ +$/, (spaces) => "␣".repeat(spaces.length));
}

const quoted = (id) => say("quoted", called(id));

// heat is how strongly a surprise is coloured: 1 for one who knows nothing.
const heat = (surprise) => Math.min(1, surprise / Math.log(S.model.vocab.length)).toFixed(3);

function drawText() {
  const all = ids(),
    tokens = byID("tokens");
  const known = (t) => S.nats[t] !== undefined,
    warmth = (t) => ({ "--s": known(t) ? heat(S.nats[t]) : 0 });
  const children = S.text
    .slice(0, first())
    .map((id, t) => element("span", { className: "token before", set: warmth(t) }, ...written(id)));
  all.forEach((id, i) => {
    const t = first() + i;
    const label = known(t) ? say("tokenLabel", quoted(id), nats(S.nats[t])) : say("firstLabel", quoted(id));
    children.push(
      element(
        "span",
        {
          className: "token",
          role: "option",
          tabIndex: -1,
          title: label,
          "aria-label": label,
          data: { t: i, nats: known(t) ? S.nats[t] : "" },
          set: warmth(t),
        },
        ...written(id),
      ),
    );
  });
  children.push(
    element(
      "span",
      {
        className: "token end",
        role: "option",
        tabIndex: -1,
        title: say("endLabel"),
        "aria-label": say("endLabel"),
        data: { t: all.length },
      },
      "▸",
    ),
  );
  tokens.replaceChildren(...children);
  byID("cut").hidden = first() === 0;
  byID("cut").textContent = say("cut", S.model.context, S.text.length);
  byID("token-is").textContent = S.model.token === "character" ? say("aCharacter") : say("aPiece");
  byID("blind").textContent = say("blind", S.model.vocab.length, nats(Math.log(S.model.vocab.length)));
  drawChosen();
}

function drawLoss() {
  const show = (id, value, text) => {
    byID(id).dataset.value = value;
    byID(id).replaceChildren(...text);
  };
  const { loss, surprise } = S.reading,
    unit = element("small", {}, " " + say("nats"));
  if (!surprise.length) return ["loss", "perplexity", "whole"].forEach((id) => show(id, "", ["–"]));
  show("loss", loss, [nats(loss), unit]);
  show("perplexity", Math.exp(loss), [
    Math.exp(loss).toFixed(2),
    element("small", {}, " " + say("ofTokens", S.model.vocab.length)),
  ]);
  byID("whole-row").hidden = S.off.size === 0;
  show("whole", S.whole.loss, [nats(S.whole.loss), element("small", {}, " " + signed(loss - S.whole.loss))]);
}

// drawChosen marks the token that is looked at.
function drawChosen(focus = false) {
  for (const e of document.querySelectorAll("#tokens [role=option]")) {
    const chosen = Number(e.dataset.t) === S.at;
    e.setAttribute("aria-selected", chosen);
    e.classList.toggle("predicts", Number(e.dataset.t) === S.at - 1);
    e.tabIndex = chosen ? 0 : -1;
    if (chosen && focus) e.focus();
  }
}

// choose looks at another token.
function choose(at, focus = false) {
  byID("choose-hint").hidden = true; // whoever has done it need not be told how
  S.at = Math.min(Math.max(at, 1), ids().length);
  drawChosen(focus);
  attempt(look);
}
