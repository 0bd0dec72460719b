"use strict";
// Words, language and theme. The sentences stand in the page, as JSON, in every language.

const WORDS = JSON.parse(document.getElementById("words").textContent);
const byID = (id) => document.getElementById(id);
let language = document.documentElement.lang;

// say returns a sentence in the page's language; {0}, {1} … are its arguments.
function say(key, ...args) {
  return WORDS[language][key].replace(/\{(\d)\}/g, (_, i) => args[i]);
}

// speak puts all that stands in the page into its language.
function speak() {
  document.documentElement.lang = language;
  for (const e of document.querySelectorAll("[data-say]")) e.textContent = say(e.dataset.say);
  for (const e of document.querySelectorAll("[data-label]"))
    e.setAttribute("aria-label", say(e.dataset.label));
  byID("language").textContent = language === "en" ? "中文" : "English";
  byID("language").setAttribute("aria-label", say("language") + ": " + byID("language").textContent);
  byID("theme").textContent = say("theme", say(document.documentElement.dataset.theme || "auto"));
}

// nextTheme goes from the system's theme to light, dark, and back.
function nextTheme() {
  const root = document.documentElement.dataset;
  if (!root.theme) root.theme = "light";
  else if (root.theme === "light") root.theme = "dark";
  else delete root.theme;
}

// element makes an element: its properties, its dataset and style as objects, its children.
function element(tag, properties = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "data") Object.assign(e.dataset, value);
    else if (name === "set") for (const [k, v] of Object.entries(value)) e.style.setProperty(k, v);
    else if (name.includes("-") || name === "role" || name === "for") e.setAttribute(name, value);
    else e[name] = value;
  }
  e.append(...children);
  return e;
}

// svg makes an element of a drawing.
function svg(tag, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

// Numbers as people read them.
const nats = (x) => x.toFixed(2);
const percent = (p) =>
  (p >= 0.0995 ? (100 * p).toFixed(0) : p >= 0.001 ? (100 * p).toFixed(1) : p > 0 ? "<0.1" : "0") + "\u00a0%";
const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(2);
