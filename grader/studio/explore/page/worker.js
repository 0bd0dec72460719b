// What runs beside a published page: the model. Before it stands wasm_exec.js of Go.

const said = []; // what the program printed last
console.log = (line) => {
  said.push(String(line));
  if (said.length > 100) said.shift();
};

// unpack turns base64 of gzip into bytes.
async function unpack(text) {
  const bytes = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The first message is the model; those that follow are questions.
onmessage = async (first) => {
  const early = []; // that came before the model was there
  onmessage = (e) => early.push(e.data);
  try {
    const go = new Go();
    const [program, parameters] = await Promise.all([unpack(first.data.program), unpack(first.data.parameters)]);
    const { instance } = await WebAssembly.instantiate(program, go.importObject);
    globalThis.stubformer = {
      model: first.data.model,
      parameters,
      ready() {
        onmessage = (e) => stubformer.ask(e.data);
        early.forEach((text) => stubformer.ask(text));
      },
      tell: (text) => postMessage({ text }),
    };
    await go.run(instance);
    const why = said.find((line) => /^(panic|fatal error): /.test(line)) || said.at(-1) || "";
    postMessage({ ended: why });
  } catch (e) {
    postMessage({ ended: String(e) });
  }
};
