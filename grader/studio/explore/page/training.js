// How the text was foretold in the course of the training.

const CHART = { height: 210, left: 34, right: 12, top: 22, bottom: 26 };

function drawTraining() {
  const steps = S.model.snapshots.filter((step) => S.history[step]);
  const all = S.model.snapshots.length;
  byID("snapshot").max = all;
  byID("snapshot").disabled = Boolean(FROZEN) || all === 0;
  byID("snapshot").value = S.snapshot === null ? all : S.model.snapshots.indexOf(S.snapshot);
  byID("snapshot-value").textContent = S.snapshot === null ? say("now") : say("stepN", S.snapshot);
  byID("training-note").textContent = all ? say("trainingNote") : say("noSnapshots");
  if (steps.length < 2) return byID("chart").replaceChildren();
  const c = { ...CHART, width: byID("chart").clientWidth || 520 },
    one = S.at < ids().length;
  const losses = steps.map((s) => S.history[s].loss),
    singles = one ? steps.map((s) => S.history[s].surprise[S.at - 1]) : [];
  const top = Math.max(...losses, ...singles) * 1.05 || 1,
    last = S.model.snapshots[all - 1] || 1;
  const x = (step) => c.left + (step / last) * (c.width - c.left - c.right),
    y = (v) => c.height - c.bottom - (v / top) * (c.height - c.top - c.bottom);
  const line = (values, name) =>
    svg("polyline", { class: name, points: steps.map((s, i) => `${x(s)},${y(values[i])}`).join(" ") });
  const drawing = svg("svg", {
    viewBox: `0 0 ${c.width} ${c.height}`,
    role: "img",
    "aria-label": say("chartLabel"),
  });
  for (let v = 0; v <= top; v += top > 6 ? 2 : 1) {
    drawing.append(
      svg("line", { class: "grid", x1: c.left, x2: c.width - c.right, y1: y(v), y2: y(v) }),
      svg("text", { x: c.left - 8, y: y(v) + 4, "text-anchor": "end" }, v),
    );
  }
  drawing.append(
    svg("text", { x: x(0), y: c.height - 6 }, "0"),
    svg("text", { x: x(last), y: c.height - 6, "text-anchor": "end" }, say("stepN", last)),
  );
  if (one)
    drawing.append(
      line(singles, "one"),
      svg(
        "text",
        { class: "key-one", x: c.width - c.right, y: 12, "text-anchor": "end" },
        "╌ " + quoted(ids()[S.at]),
      ),
    );
  drawing.append(
    line(losses, "mean"),
    svg("text", { class: "key-mean", x: c.left, y: 12 }, "━ " + say("meanOfText")),
  );
  steps.forEach((step, i) => {
    const point = svg(
      "circle",
      {
        cx: x(step),
        cy: y(losses[i]),
        r: 4.5,
        class: step === S.snapshot ? "now" : "",
        "data-step": step,
        "data-loss": losses[i],
      },
      svg("title", {}, `${say("stepN", step)}: ${nats(losses[i])}`),
    );
    if (!FROZEN) point.addEventListener("click", () => chooseSnapshot(step));
    drawing.append(point);
  });
  byID("chart").replaceChildren(drawing);
}

// chooseSnapshot gives the model the parameters of an earlier step, or with null of now.
function chooseSnapshot(step) {
  S.snapshot = step;
  drawTraining();
  refresh();
}
