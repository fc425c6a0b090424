// What a person typed, as the content that a form asks for.

import { pointer } from "./errors.mjs";

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d+))?$/i;
const BOOLEANS = new Map([
  ...["true", "yes", "y", "on", "1"].map((word) => [word, true]),
  ...["false", "no", "n", "off", "0"].map((word) => [word, false]),
]);
const BLANK = Symbol("blank");

class Unreadable {
  constructor(code) {
    this.code = code;
  }
}

export function parse(form, strings) {
  const shown = new Map(form.shown().map((field) => [field.name, field]));
  const content = {};
  const faults = new Map();
  for (const [name, typed] of Object.entries(strings)) {
    const field = shown.get(name);
    const value = field === undefined ? new Unreadable("not_allowed") : valueOf(field, form.typesOf(name), typed);
    if (value instanceof Unreadable) faults.set(name, value.code);
    else if (value !== BLANK) Object.defineProperty(content, name, { value, enumerable: true });
  }
  const unread = (at) => [...faults.keys()].some((name) => pointer(name) === at);
  const errors = form.check(content).filter(({ at }) => !unread(at));
  for (const [name, code] of faults) errors.push({ at: pointer(name), code });
  const places = [...shown.keys()].map((name) => pointer(name));
  const rank = ({ at }) => (places.includes(at) ? places.indexOf(at) : places.length);
  return { content, errors: errors.sort((left, right) => rank(left) - rank(right)) };
}

function valueOf(field, types, typed) {
  if (field.kind === "choices") return picked(field, typed);
  if (field.kind === "strings") return listed(typed);
  if (field.kind === "unsupported" && types.has("array") && !types.has("string")) return listed(typed);
  const texts = [typed].flat();
  if (texts.length !== 1) return texts.length ? new Unreadable("wrong_type") : BLANK;
  const [text] = texts;
  if (field.kind === "choice") {
    if (text === "" && !field.required && !field.choices.some(({ value }) => value === "")) return BLANK;
    return chosen(field.choices, text);
  }
  if (types.has("string")) return text === "" && !field.required ? BLANK : text;
  const bare = text.trim();
  if (bare === "") return BLANK;
  const isBoolean = types.has("boolean");
  if (types.has("number") || types.has("integer")) {
    const number = numberOf(bare, !types.has("number"));
    return number instanceof Unreadable && isBoolean ? booleanOf(bare) : number;
  }
  return isBoolean ? booleanOf(bare) : new Unreadable("not_sendable");
}

function numberOf(text, isWhole) {
  const plain = text.replaceAll("\u2212", "-");
  const found = NUMBER.exec(plain);
  if (!found) return new Unreadable("wrong_type");
  const digits = plain.replace(/e.*$/i, "").replace(/^[+-]/, "");
  const [head] = digits.split(".");
  const size = head.replace(/^0+/, "").length + Number(found[1] ?? 0);
  if (size > 4300 || plain.length > 4300) return new Unreadable("not_sendable");
  const number = Number(plain);
  if (!Number.isFinite(number)) return new Unreadable("not_finite");
  return isWhole && !Number.isInteger(number) ? new Unreadable("wrong_type") : number === 0 ? 0 : number;
}

const booleanOf = (text) => BOOLEANS.get(text.toLowerCase()) ?? new Unreadable("wrong_type");

// A value or a label, then either without regard to case and spaces, if only one is meant.
function chosen(choices, text) {
  const words = ({ value }) => (typeof value === "string" ? value : JSON.stringify(value));
  const bare = (word) => word.trim().toLowerCase();
  for (const isMeant of [
    (choice) => words(choice) === text || choice.label === text,
    (choice) => bare(words(choice)) === bare(text) || bare(choice.label) === bare(text),
  ]) {
    const meant = choices.filter(isMeant);
    if (meant.length === 1) return meant[0].value;
    if (meant.length) return new Unreadable("not_a_choice");
  }
  return new Unreadable("not_a_choice");
}

function picked(field, typed) {
  if (typeof typed === "string" && !(chosen(field.choices, typed) instanceof Unreadable))
    return [chosen(field.choices, typed)];
  const texts = typeof typed === "string" ? listed(typed) : typed.filter((text) => text.trim());
  if (texts === BLANK || !texts.length) return BLANK;
  const values = texts.map((text) => chosen(field.choices, text));
  return values.find((value) => value instanceof Unreadable) ?? values;
}

function listed(typed) {
  const texts =
    typeof typed === "string"
      ? typed
          .split(",")
          .map((text) => text.trim())
          .filter(Boolean)
      : typed;
  return texts.length ? texts : BLANK;
}
