// What happens when a key is pressed, a button clicked, a slider moved.

function redraw() {
  speak();
  const m = S.model;
  if (!m) return;
  byID("name").textContent = m.name;
  document.title = m.name + " · Stubformer";
  byID("facts").textContent = [
    say("shape", m.layers, m.heads, m.d_model, m.context, m.vocab.length),
    m.corpus,
    { mine: say("byMine"), solutions: say("bySolutions"), both: say("byBoth") }[m.trainer],
    ...m.with,
  ]
    .filter(Boolean)
    .join("\u00a0· ");
  byID("footer").textContent = FROZEN
    ? say("frozen")
    : m.code === "solutions"
      ? say("footerSolutions")
      : say("footer");
  if (PUBLISHED) drawPublished();
  drawSliders();
  if (!S.reading) return;
  drawText();
  drawLoss();
  if (!S.place) return;
  drawExpected();
  drawHeads();
  drawPath();
  drawTraining();
}

function drawSliders() {
  byID("temperature").value = S.temperature;
  byID("temperature-value").textContent = S.temperature.toFixed(2);
  byID("top-p").value = S.topP;
  byID("top-p-value").textContent = S.topP.toFixed(2);
}

// readSource reads what was typed.
async function readSource() {
  document.body.dataset.busy = "yes";
  await attempt(async () => {
    await take();
    S.at = ids().length;
    await refresh();
  });
}

// take makes the text what was typed.
async function take() {
  const field = byID("source"),
    text = field.value;
  field.removeAttribute("aria-invalid");
  try {
    const tokens = await request("/api/tokens", text);
    if (tokens.join() !== S.text.join()) S.nats = [];
    S.text = tokens;
  } catch (e) {
    mark(field, text);
    throw e;
  }
}

// mark selects the first character of a text that stands in no token of the model.
function mark(field, text) {
  const known = new Set(S.model.vocab.join("")),
    unknown = [...text].find((c) => !known.has(c));
  field.setAttribute("aria-invalid", "true");
  field.focus();
  if (unknown) field.setSelectionRange(text.indexOf(unknown), text.indexOf(unknown) + unknown.length);
}

// write lets the model go on. It asks for more tokens at once the faster they come, and
// shows them some twenty times a second.
async function write(tokens) {
  const turn = ++S.turn;
  document.body.dataset.busy = "yes";
  await attempt(async () => {
    for (let left = tokens, many = 1; left > 0; ) {
      const begun = performance.now();
      const more = await ask("write", {
        ids: S.text,
        tokens: Math.min(left, many),
        temperature: S.temperature,
        top_p: S.topP,
        seed: S.seed,
      });
      if (turn !== S.turn) return;
      many = performance.now() - begun < 40 ? Math.min(2 * many, 32) : Math.max(1, many >> 1);
      more.surprise.forEach((nats, i) => (S.nats[S.text.length + i] = nats));
      S.text = S.text.concat(more.ids);
      S.at = ids().length;
      left -= more.ids.length;
      drawText();
      if (!more.ended) continue;
      tell(say("ended"));
      break;
    }
    await showSource();
    await refresh();
  });
}

// freeze saves what is shown as a page that needs nothing else.
async function freeze() {
  await attempt(async () => {
    tell(say("freezing"));
    const page = await request("/api/freeze", {
      ids: ids(),
      off: [...S.off].sort(),
      snapshot: S.snapshot,
      at: S.at,
      temperature: S.temperature,
      top_p: S.topP,
    });
    const link = element("a", {
      href: URL.createObjectURL(new Blob([page], { type: "text/html" })),
      download: S.model.name + ".html",
    });
    link.click();
    URL.revokeObjectURL(link.href);
    tell("");
  });
}

const typing = (e) => e.target.matches("textarea") || e.ctrlKey || e.metaKey || e.altKey;

// snapshotBy goes to an earlier or later snapshot.
function snapshotBy(d) {
  const all = S.model.snapshots,
    now = S.snapshot === null ? all.length : all.indexOf(S.snapshot);
  const next = Math.min(Math.max(now + d, 0), all.length);
  if (next !== now && !FROZEN) chooseSnapshot(next === all.length ? null : all[next]);
}

// KEYS are those that mean something wherever one is on the page.
const KEYS = {
  "?": () => byID("help").showModal(),
  "/": () => byID("source").focus(),
  w: () => FROZEN || write(1),
  "[": () => snapshotBy(-1),
  "]": () => snapshotBy(1),
};

function wire() {
  document.addEventListener("keydown", (e) => {
    if (typing(e) || byID("help").open || !KEYS[e.key]) return;
    e.preventDefault();
    KEYS[e.key]();
  });
  byID("tokens").addEventListener("click", (e) => {
    const token = e.target.closest("[data-t]");
    if (token) choose(Number(token.dataset.t), true);
  });
  byID("tokens").addEventListener("keydown", (e) => {
    const to = { ArrowLeft: S.at - 1, ArrowRight: S.at + 1, Home: 1, End: ids().length }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    choose(to, true);
  });
  byID("heads").addEventListener("keydown", (e) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
    if (!by) return;
    e.preventDefault();
    chooseHead(S.layer + by[0], S.head + by[1], true);
  });
  byID("map").addEventListener("pointermove", (e) => S.map && pointAt(...under(e)));
  byID("map").addEventListener("pointerleave", () => S.map && pointAt(null));
  byID("map").addEventListener("click", (e) => S.map && choose(under(e)[0] + 1));
  byID("map").addEventListener("keydown", (e) => {
    const { query, key } = S.cursor || { query: S.at - 1, key: S.at - 1 };
    const to = { ArrowLeft: [query, key - 1], ArrowRight: [query, key + 1], ArrowUp: [query - 1, key], ArrowDown: [query + 1, key] }[e.key];
    if (!S.map || (!to && e.key !== "Enter")) return;
    e.preventDefault();
    if (to) pointAt(...(S.cursor ? to : [query, key]));
    else choose(query + 1);
  });
  byID("source").addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) readSource();
    if (e.key === "Escape") byID("read").focus();
  });
  byID("temperature").addEventListener("input", (e) => slide(() => (S.temperature = Number(e.target.value))));
  byID("top-p").addEventListener("input", (e) => slide(() => (S.topP = Number(e.target.value))));
  byID("snapshot").addEventListener("change", (e) =>
    chooseSnapshot(S.model.snapshots[e.target.value] ?? null),
  );
  for (const [id, act] of Object.entries({
    read: readSource,
    go: letWrite,
    write: () => write(1),
    "write-more": () => write(20),
    freeze,
    dice: () => {
      S.seed++;
      tell(say("newDice", S.seed));
    },
    "all-on": () => {
      S.off.clear();
      refresh();
    },
    keys: KEYS["?"],
    language: () => {
      language = language === "en" ? "zh" : "en";
      redraw();
    },
    theme: () => {
      nextTheme();
      redraw();
    },
  }))
    byID(id).addEventListener("click", act);
  addEventListener("resize", () => {
    if (!S.place) return;
    drawTraining();
    drawAttention();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}

// slide takes over the value of a slider and asks what is expected then.
function slide(take) {
  take();
  drawSliders();
  attempt(look);
}

attempt(async () => {
  speak();
  wire();
  const hide = (what) => document.querySelectorAll(what).forEach((e) => (e.hidden = true));
  if (FROZEN || PUBLISHED) hide("[data-served]");
  hide(PUBLISHED ? "[data-kept]" : "[data-published]");
  if (FROZEN) {
    hide("[data-live]");
    for (const e of document.querySelectorAll("input[type=range]")) e.disabled = true;
  }
  await begin();
  if (!FROZEN) await showSource();
  redraw();
  await refresh();
});
