// What a person entered, as the content that a form asks for; and content as the strings that a form shows for it.

import { get, has, isText, pointer } from "./errors.mjs";
import { FORMATS } from "./formats.mjs";
import { WHITE, strip } from "./text.mjs";

const NUMBER = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
const LOCAL_DATE_TIME = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?(?:\.\d+)?$/i;
const [DIGITS, EXPONENT, FOLDED] = [4300, 20, 1000];
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

const set = (map, name, value) =>
  Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });

// What no form can send is left out.
export function toStrings(form, content) {
  const strings = {};
  for (const [name, value] of Object.entries(content)) {
    if (Array.isArray(value) ? value.every(isText) : isText(value)) set(strings, name, value);
    else if (["number", "boolean"].includes(typeof value)) set(strings, name, JSON.stringify(value));
  }
  return strings;
}

export function parse(form, strings, prefilled = {}, timezone = undefined) {
  const fields = new Map(form.shown().map((field) => [field.name, field]));
  const shown = toStrings(form, prefilled);
  const refused = new Set(form.check(prefilled).map(({ at }) => at));
  const content = {};
  const faults = new Map();
  for (const [name, entered] of Object.entries(strings)) {
    const field = fields.get(name);
    if (has(shown, name) && !refused.has(pointer(name)) && isSame(entered, shown[name])) {
      set(content, name, prefilled[name]);
      continue;
    }
    const value =
      field === undefined
        ? new Unreadable("not_allowed")
        : valueOf(form, field, entered, { wasFilled: has(shown, name), timezone });
    if (value instanceof Unreadable) faults.set(name, value.code);
    else if (value !== BLANK) set(content, name, value);
  }
  const unread = (at) => [...faults.keys()].some((name) => pointer(name) === at);
  const errors = form.check(content).filter(({ at }) => !unread(at));
  for (const [name, code] of faults) errors.push({ at: pointer(name), code });
  const places = [...fields.keys()].map((name) => pointer(name));
  const rank = ({ at }) => (places.includes(at) ? places.indexOf(at) : places.length);
  return { content, errors: errors.sort((left, right) => rank(left) - rank(right)) };
}

function isSame(entered, shown) {
  if (Array.isArray(shown) && !Array.isArray(entered)) return false;
  const [texts, others] = [entered, shown].map((given) => [given].flat().map((text) => text.replace(/\r\n?/g, "\n")));
  return texts.length === others.length && others.every((text, place) => text === texts[place]);
}

function valueOf(form, field, entered, { wasFilled, timezone }) {
  const read = form.fields.get(field.name);
  const { types } = read;
  const isUnsupported = field.kind === "unsupported";
  const isList =
    ["choices", "strings"].includes(field.kind) || (isUnsupported && types.has("array") && !types.has("string"));
  if (isList || (types.has("array") && Array.isArray(entered) && entered.length > 1)) {
    const items = itemsOf(read, field, entered, timezone);
    return items === BLANK && wasFilled ? [] : items;
  }
  const texts = [entered].flat();
  if (texts.length !== 1) return texts.length ? new Unreadable("wrong_type") : BLANK;
  const [text] = texts;
  const isBlank = strip(text) === "";
  if (field.kind === "choice") {
    const value = chosen(field.choices, text);
    return value instanceof Unreadable && isBlank && !field.required ? BLANK : value;
  }
  if (field.kind === "string" || (isUnsupported && types.has("string"))) {
    if (isBlank && wasFilled) return "";
    const isSuggested = (field.choices ?? []).some(({ value }) => value === text);
    const formats = [...formatsOf(read.schemas), ...read.groups.flatMap(formatsOfGroup)];
    const value = isSuggested ? text : textOf(text, formats, timezone);
    return value === "" && !field.required ? BLANK : value;
  }
  let value = scalarOf(strip(text), read.open);
  if (value instanceof Unreadable && read.suggested.length) {
    const suggestion = chosen(read.suggested, text);
    if (!(suggestion instanceof Unreadable)) value = suggestion;
  }
  return value instanceof Unreadable && isBlank ? BLANK : value;
}

// Of alternatives, each that takes any text must have a format.
function formatsOfGroup(group) {
  const found = group
    .filter(({ choices, types }) => !choices && types.has("string"))
    .map(({ schemas }) => formatsOf(schemas));
  return found.every((formats) => formats.length) ? found.flat() : [];
}

// One string is a whole choice, or holds several with commas between them.
function itemsOf(read, field, entered, timezone) {
  let texts = entered;
  if (isText(entered)) {
    const whole = field.choices ? chosen(field.choices, entered) : BLANK;
    if (isText(whole)) return [whole];
    texts = entered
      .split(",")
      .map(strip)
      .filter(Boolean);
    if (!texts.length) return BLANK;
  }
  const formats = formatsOf(read.items?.schemas ?? []);
  const items = texts.map((text) => (field.choices ? chosen(field.choices, text) : textOf(text, formats, timezone)));
  return items.find((item) => item instanceof Unreadable) ?? items;
}

function scalarOf(text, types) {
  if (types.has("number") || types.has("integer")) {
    const number = numberOf(text, !types.has("number"));
    if (!types.has("boolean") || !(number instanceof Unreadable)) return number;
  }
  if (types.has("boolean")) return BOOLEANS.get(text.toLowerCase()) ?? new Unreadable("wrong_type");
  return new Unreadable("not_sendable");
}

const formatsOf = (schemas) =>
  schemas.map((schema) => get(schema, "format")).filter((format) => isText(format) && has(FORMATS, format));

function textOf(text, formats, timezone) {
  if (!formats.length) return text;
  const bare = strip(text);
  const parts = formats.includes("date-time") ? LOCAL_DATE_TIME.exec(bare) : null;
  if (!parts || !FORMATS.date(parts[1])) return bare;
  return timezone === undefined ? new Unreadable("wrong_format") : bare + (parts[2] ? "" : ":00") + timezone;
}

// The digits without zeros at the ends, and the power of ten that they are multiplied by.
function digitsOf([, , whole, fraction = "", exponent = "0"]) {
  const written = (whole + fraction).replace(/^0+/, "");
  const digits = written.replace(/0+$/, "");
  return digits ? [digits, Number(exponent) - fraction.length + written.length - digits.length] : ["0", 0];
}

function numberOf(text, isWhole) {
  const parts = NUMBER.exec(text.replaceAll("\u2212", "-"));
  if (!parts) return new Unreadable("wrong_type");
  const [plain, , whole, fraction, exponent] = parts;
  // Three zeros behind a point may be a group of thousands.
  const isWrittenWhole = fraction === undefined || (whole && exponent === undefined && /^(?!000$)0*$/.test(fraction));
  if (isWhole && !isWrittenWhole) return new Unreadable("wrong_type");
  const number = Number(plain);
  if (!isWhole && !Number.isFinite(number)) return new Unreadable("not_finite");
  if (whole.length + (fraction ?? "").length > DIGITS || (exponent ?? "").length > EXPONENT)
    return new Unreadable("not_sendable");
  const [digits, power] = digitsOf(parts);
  if (power < 0 && isWhole) return new Unreadable("wrong_type");
  if (power < 0) {
    const exact = digitsOf(NUMBER.exec(String(number)));
    return exact.join() === [digits, power].join() ? number : new Unreadable("not_sendable");
  }
  if (digits.length + power > DIGITS) return new Unreadable("not_sendable");
  return number === 0 ? 0 : number;
}

const BLANKS = new RegExp(`[${WHITE}]+`, "g");
const fold = (text) => strip(text.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC")).replace(BLANKS, " ");
const isShort = (text) => [...text].length <= FOLDED;

// An equal value, a text before a number; a label; or either without regard to case, width and blanks.
function chosen(choices, text) {
  const others = choices.filter(({ value }) => !isText(value));
  const isWhole = others.every(({ value }) => typeof value === "boolean" || Number.isInteger(value));
  const numberName = (word, whole) => {
    const number = numberOf(word, whole);
    return number instanceof Unreadable ? word : String(number);
  };
  const isNumber = (word) => (choice) =>
    others.includes(choice) && numberName(JSON.stringify(choice.value), false) === numberName(word, isWhole);
  const exact = choices.find(({ value }) => value === text) ?? choices.find(isNumber(text));
  if (exact) return exact.value;
  if (strip(text) === "") return new Unreadable("not_a_choice");
  const labelled = choices.filter(({ label }) => label === text);
  if (labelled.length === 1) return labelled[0].value;
  if (!isShort(text)) return new Unreadable("not_a_choice");
  const names = ({ value, label }) => [isText(value) ? value : JSON.stringify(value), label].filter(isShort).map(fold);
  const loosely = choices.filter(
    (choice) => names(choice).includes(fold(text)) || isNumber(strip(text))(choice),
  );
  if (!loosely.length && choices.every(({ value }) => typeof value === "boolean")) {
    const word = BOOLEANS.get(fold(text));
    if (choices.some(({ value }) => value === word)) return word;
  }
  return loosely.length === 1 ? loosely[0].value : new Unreadable("not_a_choice");
}
