// Lets llama.cpp, as npm's node-llama-cpp ships it, write with the model in a GGUF file:
//
//     node llamacpp.mjs PACKAGES FILE TOKENS TEXT
//
// PACKAGES is the folder in which the package was installed. The answer, JSON, holds the
// ids of the text, those of TOKENS tokens behind it, each the likeliest, −log p of each,
// and the text that they are.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, file, tokens, text] = process.argv.slice(2);
const { getLlama } = await import(pathToFileURL(join(packages, "node_modules/node-llama-cpp/dist/index.js")));
const llama = await getLlama({ build: "never", gpu: false, logLevel: "error" });
const model = await llama.loadModel({ modelPath: file });
// Keys and values are float16 in llama.cpp unless one asks.
const context = await model.createContext({
  contextSize: model.trainContextSize,
  threads: 1,
  flashAttention: false,
  experimentalKvCacheKeyType: "F32",
  experimentalKvCacheValueType: "F32",
});

const prompt = model.tokenize(text);
if (model.tokens.shouldPrependBosToken) prompt.unshift(model.tokens.bos);
const ids = [];
const surprise = [];
const sequence = context.getSequence();
for (let next = prompt; ids.length < Number(tokens); next = ids.slice(-1)) {
  const asked = next.map((token) => [token, { generateNext: { logits: true } }]);
  const { logits } = (await sequence.controlledEvaluate(asked)).at(-1).next;
  const most = Math.max(...logits.values());
  const sum = [...logits.values()].reduce((sum, logit) => sum + Math.exp(logit - most), 0);
  ids.push([...logits.keys()].filter((id) => logits.get(id) === most).sort((a, b) => a - b)[0]);
  surprise.push(Math.log(sum));
}
console.log(JSON.stringify({ prompt, ids, surprise, text: model.detokenize(ids) }));
process.exit(0);
