// A peer for the comparison of tokenizers: tiktoken, OpenAI's own encoder in Rust, as the WebAssembly of the npm
// package of this name, with the vocabulary that GPT-2 was published with. NODE_PATH says where the package is.
//
// It answers each line of its standard input:
//
//     files DIR            writes the vocabulary and its merges to DIR/vocab.json and DIR/merges.txt
//     ids FILE             the checksum of the text's ids, each as four bytes, the lowest first
//     encode FILE SECONDS  the processor's seconds for a byte, measured for so long
const fs = require("node:fs");
const path = require("node:path");
const { createHash } = require("node:crypto");
const { createInterface } = require("node:readline");
const { get_encoding } = require("tiktoken");
const published = require("tiktoken/encoders/gpt2.json");

const tokenizer = get_encoding("gpt2");

// printable has a character for each byte, as GPT-2's files do.
function printable() {
  const own = (b) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, b) => String.fromCodePoint(own(b) ? b : next++));
}

// vocabulary returns the id of every token, written with printable characters.
function vocabulary() {
  const chars = printable(), ids = new Map();
  for (const line of published.bpe_ranks.split("\n")) {
    const [, first, ...tokens] = line.split(" ");
    tokens.forEach((t, i) => ids.set(Array.from(Buffer.from(t, "base64"), (b) => chars[b]).join(""), Number(first) + i));
  }
  return ids;
}

// halves returns the two tokens that become one last: what is left of it when all
// earlier merges have been made. A single byte is no two.
function halves(token, id, ids) {
  const parts = Array.from(token);
  while (parts.length > 2) {
    let lowest = id, at = 0;
    for (let i = 1; i < parts.length; i++) {
      const rank = ids.get(parts[i - 1] + parts[i]) ?? id;
      if (rank < lowest) [lowest, at] = [rank, i];
    }
    if (at === 0) throw new Error(`no merge makes ${token}`);
    parts.splice(at - 1, 2, parts[at - 1] + parts[at]);
  }
  return parts;
}

function files(dir) {
  const ids = vocabulary(), merges = ["#version: 0.2"];
  for (const [token, id] of ids) {
    const parts = halves(token, id, ids);
    if (parts.length === 2) merges.push(parts.join(" "));
  }
  const names = { ...Object.fromEntries(ids), ...published.special_tokens };
  fs.writeFileSync(path.join(dir, "vocab.json"), JSON.stringify(names));
  fs.writeFileSync(path.join(dir, "merges.txt"), merges.join("\n") + "\n");
  return "done";
}

function ids(file) {
  const all = tokenizer.encode_ordinary(fs.readFileSync(file, "utf8"));
  const bytes = Buffer.alloc(4 * all.length);
  all.forEach((id, i) => bytes.writeUInt32LE(id, 4 * i));
  return `${all.length} ${createHash("sha256").update(bytes).digest("hex")}`;
}

function encode(file, seconds) {
  const text = fs.readFileSync(file, "utf8"), size = Buffer.byteLength(text);
  tokenizer.encode_ordinary(text); // the first call warms up
  const before = process.cpuUsage();
  let spent = 0, calls = 0;
  while (spent < 1e6 * seconds) {
    tokenizer.encode_ordinary(text);
    calls++;
    const { user, system } = process.cpuUsage(before);
    spent = user + system;
  }
  return spent / 1e6 / calls / size;
}

const verbs = { files, ids, encode };
createInterface({ input: process.stdin }).on("line", (line) => {
  const [verb, ...args] = line.split(" ");
  try {
    console.log(verbs[verb](...args));
  } catch (e) {
    console.log("! " + String(e).split("\n")[0]);
  }
});
