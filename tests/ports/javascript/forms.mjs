// Forms: whether content fits the schema that asked for it, and the defaults that do.

import { RemoteError, get, has, isMap, isNumber, isText, pointer } from "./errors.mjs";
import { FORMATS } from "./formats.mjs";

const DIALECTS = ["https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-07/schema"];
const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
const LAYERS = 8;

const isCount = (value) => Number.isInteger(value) && value >= 0;
const isFlag = (value) => typeof value === "boolean";
const areNames = (value) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isSchema = (value) => isMap(value) || isFlag(value);

// What JSON Schema demands of its own keywords, as far as forms meet them.
const SHAPES = {
  ...Object.fromEntries(["$ref", "$id", "$anchor", "title", "description", "format", "pattern"].map((name) => [name, isText])),
  ...Object.fromEntries(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((name) => [name, isNumber])),
  ...Object.fromEntries(["minLength", "maxLength", "minItems", "maxItems"].map((name) => [name, isCount])),
  ...Object.fromEntries(["anyOf", "oneOf", "allOf"].map((name) => [name, (value) => Array.isArray(value) && value.length > 0])),
  ...Object.fromEntries(["properties", "$defs", "definitions", "patternProperties"].map((name) => [name, isMap])),
  uniqueItems: isFlag,
  enum: Array.isArray,
  multipleOf: (value) => isNumber(value) && value > 0,
  required: areNames,
  type: (value) => (isText(value) ? TYPES.includes(value) : areNames(value) && value.length > 0 && value.every((name) => TYPES.includes(name))),
};
const ONE = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
const MANY = ["anyOf", "oneOf", "allOf"];
const NAMED = ["properties", "$defs", "definitions", "patternProperties"];

export class Form {
  constructor(schema) {
    this.root = schema;
    const dialect = has(schema, "$schema") ? schema.$schema : DIALECTS[0];
    if (!isText(dialect)) throw invalid("/$schema");
    if (!DIALECTS.includes(dialect.replace(/#$/, ""))) throw new RemoteError("schema_dialect", "/$schema");
    // Draft-07 ignores what stands beside a reference.
    this.refAlone = dialect.startsWith(DIALECTS[2]);
    this.admit(schema, "", []);
    this.layers = this.flatten(schema, "");
    for (const { schema: layer, at } of this.layers) if (!typesOf(layer).has("object")) throw invalid(at + "/type");
    this.required = [...new Set(this.layers.flatMap(({ schema: layer }) => get(layer, "required") ?? []))];
    this.fields = new Map();
    for (const { schema: layer, at } of this.layers) {
      for (const [name, field] of Object.entries(get(layer, "properties") ?? {})) {
        this.fields.set(name, [...(this.fields.get(name) ?? []), ...this.flatten(field, at + pointer("properties", name))]);
      }
    }
  }

  // Every subschema has its shape, and every reference leads into the schema, never round in a circle.
  admit(schema, at, open) {
    if (isFlag(schema)) return;
    if (!isMap(schema)) throw invalid(at);
    if (open.includes(schema)) throw invalid(at);
    const inside = [...open, schema];
    for (const [keyword, value] of Object.entries(schema)) {
      const place = at + pointer(keyword);
      if (has(SHAPES, keyword) && !SHAPES[keyword](value)) throw invalid(place);
      if (keyword === "$ref") this.admit(this.target(value, place), at, inside);
      if (ONE.includes(keyword)) {
        if (!isSchema(value)) throw invalid(place);
        this.admit(value, place, inside);
      }
      if (MANY.includes(keyword)) value.forEach((part, index) => this.admit(part, place + pointer(index), inside));
      if (NAMED.includes(keyword)) Object.entries(value).forEach(([name, part]) => this.admit(part, place + pointer(name), inside));
    }
  }

  target(reference, at) {
    if (!reference.startsWith("#")) throw new RemoteError("schema_external_ref", at);
    let found = this.root;
    for (const token of decodeURIComponent(reference.slice(1)).split("/").slice(1)) {
      const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
      found = Array.isArray(found) ? found[name] : get(found, name);
    }
    if (!isSchema(found) || !/^#(\/|$)/.test(reference)) throw invalid(at);
    return found;
  }

  // All that must hold at once: references, `allOf`, and what is left of a choice between a schema and null.
  flatten(schema, at) {
    const found = [];
    const todo = [{ schema, at }];
    while (todo.length) {
      const next = todo.shift();
      if (next.schema === true) continue;
      const layer = next.schema === false ? { enum: [] } : next.schema;
      if (found.length === LAYERS) throw new RemoteError("schema_too_large", next.at);
      const annotations = ["title", "description", "default", "$ref"].filter((name) => has(layer, name));
      const isAlone = this.refAlone && has(layer, "$ref");
      found.push({ schema: isAlone ? Object.fromEntries(annotations.map((name) => [name, layer[name]])) : layer, at: next.at });
      if (has(layer, "$ref")) todo.push({ schema: this.target(layer.$ref, next.at), at: next.at });
      if ((get(layer, "allOf") ?? []).length > LAYERS) throw new RemoteError("schema_too_large", next.at);
      for (const part of get(layer, "allOf") ?? []) todo.push({ schema: part, at: next.at });
      for (const keyword of ["anyOf", "oneOf"]) {
        const members = (get(layer, keyword) ?? []).filter((member) => !isNull(member));
        if (members.length === 1 && !isChoice(members[0])) todo.push({ schema: members[0], at: next.at });
      }
    }
    return found;
  }

  check(content) {
    const errors = new Map();
    for (const name of this.required) if (!has(content, name)) errors.set(name, ["required"]);
    for (const [name, value] of Object.entries(content)) {
      if (value === null && !this.required.includes(name)) continue;
      const codes = this.codesOf(name, value);
      if (codes.length) errors.set(name, codes);
    }
    const names = [...this.fields.keys()].filter((name) => errors.has(name));
    const ordered = new Set([...names, ...errors.keys()]);
    return [...ordered].flatMap((name) => errors.get(name).map((code) => ({ at: pointer(name), code }))).slice(0, 100);
  }

  codesOf(name, value) {
    if (Array.isArray(value) ? !value.every(isText) : value === null || isMap(value)) return ["not_sendable"];
    for (const { schema } of this.layers) {
      const others = get(schema, "additionalProperties");
      const isOwn = has(get(schema, "properties"), name);
      if (others === false && !isOwn && !has(schema, "patternProperties")) return ["not_allowed"];
      if (isMap(others) && !isOwn && !this.fields.has(name)) return this.faults(value, this.flatten(others, ""));
    }
    return this.faults(value, this.fields.get(name) ?? []);
  }

  faults(value, layers) {
    const chosen = (candidates, item) => candidates.every((values) => values.some((one) => one === item));
    if (!chosen(layers.flatMap(({ schema }) => choicesOf(schema)), value)) return ["not_a_choice"];
    const items = Array.isArray(value)
      ? layers.flatMap(({ schema }) => (isMap(get(schema, "items")) ? this.flatten(schema.items, "") : get(schema, "items") === false ? [{ schema: { enum: [] } }] : []))
      : [];
    const ofItems = items.flatMap(({ schema }) => choicesOf(schema));
    if (Array.isArray(value) && !value.every((item) => chosen(ofItems, item))) return ["not_a_choice"];
    const codes = new Set(layers.flatMap(({ schema }) => [...broken(value, schema)]));
    const ofItem = Array.isArray(value) ? value.flatMap((item) => items.flatMap(({ schema }) => [...broken(item, schema)]))[0] : undefined;
    if (ofItem) codes.add(ofItem);
    return [...codes];
  }

  defaults() {
    const found = {};
    for (const [name, layers] of this.fields) {
      const layer = layers.find(({ schema }) => has(schema, "default"));
      const value = layer?.schema.default;
      if (value !== undefined && value !== null && !this.codesOf(name, value).length) found[name] = value;
    }
    return found;
  }
}

const invalid = (at) => new RemoteError("schema_invalid", at);

const isNull = (schema) =>
  isMap(schema) && (schema.type === "null" || (Array.isArray(schema.type) && schema.type.join() === "null") || get(schema, "const") === null);

const isChoice = (member) => has(member, "const") && !isMap(member.const) && !Array.isArray(member.const) && Object.keys(member).every((name) => ["const", "title", "type", "description"].includes(name));

function typesOf(schema) {
  const types = new Set(has(schema, "type") ? [schema.type].flat() : TYPES);
  if (types.has("number")) types.add("integer");
  return types;
}

// The values to choose from, one list for each keyword that lets choose; no choice can be a list or a map.
function choicesOf(schema) {
  const found = [];
  if (has(schema, "const") && !Array.isArray(schema.const)) found.push([schema.const]);
  if (has(schema, "enum") && !schema.enum.some(Array.isArray)) found.push(schema.enum);
  for (const keyword of ["anyOf", "oneOf"]) {
    const members = (get(schema, keyword) ?? []).filter((member) => !isNull(member));
    if (!has(schema, keyword) || !members.every(isChoice)) continue;
    const values = members.map((member) => member.const);
    // What satisfies two members of `oneOf` does not satisfy it.
    found.push(keyword === "oneOf" ? values.filter((value) => values.filter((other) => other === value).length === 1) : values);
  }
  return found;
}

function* broken(value, schema) {
  const types = typesOf(schema);
  const isOf = {
    string: isText(value),
    boolean: isFlag(value),
    number: isNumber(value),
    integer: Number.isInteger(value),
    array: Array.isArray(value),
  };
  if (![...types].some((name) => isOf[name])) return yield "wrong_type";
  const members = (get(schema, "anyOf") ?? []).filter((member) => !isNull(member));
  if (members.length > 1 && members.every((member) => isMap(member) && !choicesOf(member).length)) {
    const typed = members.filter((member) => ![...broken(value, { type: get(member, "type") ?? TYPES })].length);
    if (!typed.length) return yield "wrong_type";
    if (!typed.some((member) => ![...broken(value, member)].length)) yield "other";
  }
  const below = (name, size) => has(schema, name) && size < schema[name];
  const above = (name, size) => has(schema, name) && size > schema[name];
  if (isText(value)) {
    // JSON Schema counts code points.
    const length = [...value].length;
    if (below("minLength", length)) yield "too_short";
    if (above("maxLength", length)) yield "too_long";
    if (has(FORMATS, get(schema, "format")) && !FORMATS[schema.format](value)) yield "wrong_format";
  }
  if (isNumber(value)) {
    if (below("minimum", value) || (has(schema, "exclusiveMinimum") && value <= schema.exclusiveMinimum)) yield "too_small";
    if (above("maximum", value) || (has(schema, "exclusiveMaximum") && value >= schema.exclusiveMaximum)) yield "too_large";
    if (has(schema, "multipleOf") && !isMultiple(value, schema.multipleOf)) yield "other";
  }
  if (Array.isArray(value)) {
    if (below("minItems", value.length)) yield "too_few";
    if (above("maxItems", value.length)) yield "too_many";
    if (get(schema, "uniqueItems") === true && new Set(value).size < value.length) yield "other";
  }
}

// In decimals, as people write them: 19.99 is a multiple of 0.01.
function isMultiple(value, step) {
  const [left, right] = [value, step].map((number) => /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)));
  const places = ([, , fraction = "", exponent = "0"]) => fraction.length - Number(exponent);
  const most = Math.max(places(left), places(right), 0);
  const whole = (match) => BigInt(match[1] + (match[2] ?? "")) * 10n ** BigInt(most - places(match));
  return whole(left) % whole(right) === 0n;
}
