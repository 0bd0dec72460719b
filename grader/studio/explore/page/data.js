// What the page shows, and whom it asks: the server, the view that is frozen in it, or the
// model that is published with it.

const given = (id) => (byID(id) ? JSON.parse(byID(id).textContent) : null);
const FROZEN = given("view");
const PUBLISHED = given("published");

const S = {
  model: null, // Description
  text: [], // all tokens; the model reads the last of them, as many as its context holds
  nats: [], // the surprise of each of them, as far as it is known
  off: new Set(),
  snapshot: null,
  at: 0,
  temperature: 1,
  topP: 1,
  layer: 1,
  head: 1,
  cursor: null, // the cell of the map that is pointed at
  map: null, // where its cells lie
  seed: 1,
  reading: null,
  whole: null,
  place: null,
  shown: 0, // the answers, the last about token shown
  attention: [],
  without: {},
  history: {},
  asked: 0,
  going: null, // the writing of a published model that goes on
  turn: 0, // counts the readings: an answer to an earlier one is not shown
};

const ids = () => S.text.slice(-S.model.context);
const first = () => Math.max(0, S.text.length - S.model.context); // of the tokens that are read

// The token comes behind the # of the address, and leaves it.
const KEY = "stubformer-explore " + location.host;
if (!FROZEN && !PUBLISHED && location.hash.length > 1) {
  sessionStorage.setItem(KEY, location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}

async function request(path, body) {
  if (PUBLISHED) return consult(path, body);
  const headers = {
    Authorization: "Bearer " + (sessionStorage.getItem(KEY) || ""),
    "Accept-Language": language,
  };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Error(say("gone"));
  }
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error);
  return data;
}

// ask puts a question about the text, and counts those that are not answered yet.
async function ask(verb, more = {}) {
  const q = { ask: verb, ids: ids(), off: [...S.off].sort(), ...more };
  if (S.snapshot !== null && !("snapshot" in q)) q.snapshot = S.snapshot;
  if (q.snapshot === null) delete q.snapshot;
  document.body.dataset.asked = ++S.asked;
  try {
    return await (FROZEN ? thaw(q) : request("/api/ask", q));
  } finally {
    document.body.dataset.asked = --S.asked;
  }
}

// thaw answers from the frozen view.
async function thaw(q) {
  switch (q.ask) {
    case "look":
      return FROZEN.places[q.at - 1];
    case "attention":
      return FROZEN.attention[q.layer - 1];
    case "without":
      return FROZEN.without[q.layer - 1];
  }
  if (q.snapshot !== undefined && q.snapshot !== FROZEN.snapshot)
    return FROZEN.history[S.model.snapshots.indexOf(q.snapshot)];
  return q.off.length ? FROZEN.reading : FROZEN.whole;
}

// begin finds out what model it is, and which text to begin with.
async function begin() {
  if (PUBLISHED) S.temperature = PUBLISHED.temperature;
  if (!FROZEN) {
    S.model = PUBLISHED ? PUBLISHED.model : await request("/api/model");
    redraw();
    S.text = await request("/api/tokens", S.model.text);
    return;
  }
  S.model = FROZEN.model;
  S.text = FROZEN.ids;
  S.off = new Set(FROZEN.off);
  S.snapshot = FROZEN.snapshot;
  S.at = FROZEN.at;
  S.temperature = FROZEN.temperature;
  S.topP = FROZEN.top_p;
}

function tell(sentence, wrong = false) {
  byID("status").textContent = sentence;
  byID("status").classList.toggle("wrong", wrong);
}

// attempt runs what may fail, and says why it did.
async function attempt(work) {
  try {
    await work();
  } catch (e) {
    tell(e.message, true);
    document.body.dataset.busy = "no";
  }
}

// refresh reads the text and then asks for everything else, what is looked at first.
async function refresh() {
  const turn = ++S.turn,
    late = () => turn !== S.turn;
  document.body.dataset.busy = "yes";
  const slow = setTimeout(() => late() || tell(say("slow")), 2000);
  await attempt(async () => {
    tell(say("reading"));
    const reading = await ask("read");
    if (late()) return;
    S.at = S.at ? Math.min(S.at, ids().length) : surprising(reading.surprise);
    const whole = S.off.size ? await ask("read", { off: [] }) : reading;
    if (late()) return;
    Object.assign(S, { reading, whole, place: null, attention: [], without: {} });
    reading.surprise.forEach((nats, t) => (S.nats[first() + t + 1] = nats));
    drawText();
    drawLoss();
    await look();
    for (let layer = 1; layer <= S.model.layers; layer++) {
      const weights = await ask("attention", { layer });
      if (late()) return;
      S.attention[layer] = weights;
    }
    drawHeads();
    clearTimeout(slow);
    tell("");
    for (let layer = 1; layer <= S.model.layers; layer++) {
      const losses = await ask("without", { layer });
      if (late()) return;
      for (const l of losses) S.without[l.part] = l;
      drawPath();
    }
    await past(late);
  });
  clearTimeout(slow);
  if (!late()) document.body.dataset.busy = "no";
}

// surprising is the token in the second half of a text that surprised most.
function surprising(surprise) {
  const half = Math.floor(surprise.length / 2),
    rest = surprise.slice(half);
  return half + 1 + Math.max(0, rest.indexOf(Math.max(...rest)));
}

// past asks how well the text was foretold in the course of the training.
async function past(late) {
  const key = ids().join() + "/" + [...S.off].sort();
  if (S.history.key !== key) S.history = { key };
  for (const step of S.model.snapshots) {
    if (S.history[step]) continue;
    const reading = await ask("read", { snapshot: step });
    if (late()) return;
    S.history[step] = reading;
    drawTraining();
  }
  drawTraining();
}

// look asks about the token that is chosen.
async function look() {
  const turn = S.turn,
    at = S.at;
  const place = await ask("look", { at, temperature: S.temperature, top_p: S.topP });
  if (turn !== S.turn || at !== S.at) return;
  S.place = place;
  S.shown = at;
  drawChosen();
  drawExpected();
  drawAttention();
  drawPath();
  drawTraining();
}
