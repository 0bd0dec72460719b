// Whom a published page asks: the model itself, which runs beside it.

const model = { worker: null, waiting: [] };

// start starts the model, anew after its code has ended with an error.
function start() {
  const source = new Blob([PUBLISHED.runtime, "\n", PUBLISHED.worker], { type: "text/javascript" });
  const address = URL.createObjectURL(source);
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  worker.onmessage = (e) => hear(worker, e.data);
  worker.onerror = (e) => hear(worker, { ended: e.message || "" });
  worker.postMessage({
    program: PUBLISHED.program,
    parameters: PUBLISHED.parameters,
    model: JSON.stringify(PUBLISHED.given),
  });
  model.worker = worker;
}

// hear takes an answer, or that the model has ended.
function hear(worker, message) {
  if (worker !== model.worker) return;
  if ("text" in message) return model.waiting.shift()(JSON.parse(message.text));
  worker.terminate();
  model.worker = null;
  const error = say("crashed", message.ended);
  for (const tell of model.waiting.splice(0)) tell({ error });
}

// consult asks the model, which answers one after the other.
async function consult(path, body) {
  if (!model.worker) start();
  const answer = await new Promise((tell) => {
    model.waiting.push(tell);
    model.worker.postMessage(JSON.stringify({ path, body, language }));
  });
  if (answer.error) throw new Error(answer.error);
  return answer.answer;
}

// drawPublished says what model it is that was published, and by whom.
function drawPublished() {
  const p = PUBLISHED,
    fit = p.loss === null ? "" : say("publishedLoss", p.loss.toFixed(2));
  byID("kicker").textContent = p.by ? say("publishedBy", p.by) : say("publishedModel");
  byID("fit").textContent = [fit, p.loss !== null && p.floor !== null ? say("publishedFloor", p.floor.toFixed(2)) : ""]
    .filter(Boolean)
    .join(say("comma"));
  byID("footer").textContent =
    (S.model.code === "solutions" ? say("publishedSolutions") : say("publishedMine")) + " " + say("publishedAlone");
  byID("go").textContent = S.going ? say("stop") : say("letWrite");
}

// letWrite lets the model go on behind what was typed, or stops it.
async function letWrite() {
  document.body.dataset.busy = "yes";
  if (S.going) {
    S.going = null;
    S.turn++;
    await attempt(showSource);
    return refresh();
  }
  const going = (S.going = {});
  drawPublished();
  await attempt(async () => {
    await take();
    if (S.going === going) await write(200);
  });
  if (S.going === going) S.going = null;
  drawPublished();
}
