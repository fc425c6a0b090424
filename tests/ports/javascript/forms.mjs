// Forms: whether content fits the schema that asked for it, and the defaults that do.

import { RemoteError, get, has, isMap, isNumber, isText, pointer } from "./errors.mjs";
import { FORMATS } from "./formats.mjs";
import { asksForSecret } from "./secrets.mjs";

const DIALECTS = [
  "https://json-schema.org/draft/2020-12/schema",
  "https://json-schema.org/draft/2019-09/schema",
  "http://json-schema.org/draft-07/schema",
];
const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
const [LAYERS, LEVELS, CHOICES, SUBSCHEMAS] = [8, 64, 1000, 5000];

const isCount = (value) => Number.isInteger(value) && value >= 0;
const isFlag = (value) => typeof value === "boolean";
const areNames = (value) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isSchema = (value) => isMap(value) || isFlag(value);

// What JSON Schema demands of its own keywords, as far as forms meet them.
const SHAPES = {
  ...Object.fromEntries(
    ["$ref", "$dynamicRef", "$recursiveRef", "$id", "$anchor", "title", "description", "format", "pattern"].map(
      (name) => [name, isText],
    ),
  ),
  ...Object.fromEntries(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((name) => [name, isNumber])),
  ...Object.fromEntries(["minLength", "maxLength", "minItems", "maxItems"].map((name) => [name, isCount])),
  ...Object.fromEntries(
    ["anyOf", "oneOf", "allOf"].map((name) => [name, (value) => Array.isArray(value) && value.length > 0]),
  ),
  ...Object.fromEntries(["properties", "$defs", "definitions", "patternProperties"].map((name) => [name, isMap])),
  uniqueItems: isFlag,
  enum: Array.isArray,
  multipleOf: (value) => isNumber(value) && value > 0,
  required: areNames,
  type: (value) =>
    isText(value)
      ? TYPES.includes(value)
      : areNames(value) && value.length > 0 && value.every((name) => TYPES.includes(name)),
};
const ONE = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];
const MANY = ["anyOf", "oneOf", "allOf"];
const NAMED = ["properties", "$defs", "definitions", "patternProperties"];

// What one pass over a value checks, and what constrains it otherwise.
const CHEAP =
  "type minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems uniqueItems format".split(
    " ",
  );
const OTHERS =
  "additionalItems additionalProperties anyOf const contains dependencies dependentRequired dependentSchemas enum if items maxProperties minProperties multipleOf not oneOf pattern patternProperties prefixItems properties propertyNames required unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef".split(
    " ",
  );

export class Form {
  constructor(schema) {
    this.root = schema;
    const dialect = has(schema, "$schema") ? schema.$schema : DIALECTS[0];
    if (!isText(dialect)) throw invalid("/$schema");
    if (!DIALECTS.includes(dialect.replace(/#$/, ""))) throw new RemoteError("schema_dialect", "/$schema");
    // Draft-07 ignores what stands beside a reference.
    this.refAlone = dialect.startsWith(DIALECTS[2]);
    this.isLatest = dialect.replace(/#$/, "") === DIALECTS[0];
    this.weights = new Map();
    if (Buffer.byteLength(JSON.stringify(schema)) > 131072) throw tooLarge("");
    this.weigh(schema, "", []);
    this.layers = this.flatten(schema, "");
    for (const { schema: layer, at } of this.layers) if (!typesOf(layer).has("object")) throw invalid(at + "/type");
    this.required = [...new Set(this.layers.flatMap(({ schema: layer }) => get(layer, "required") ?? []))];
    this.fields = new Map();
    for (const { schema: layer, at } of this.layers) {
      for (const [name, field] of Object.entries(get(layer, "properties") ?? {})) {
        this.fields.set(name, [
          ...(this.fields.get(name) ?? []),
          ...this.flatten(field, at + pointer("properties", name)),
        ]);
      }
    }
    const others = this.layers.filter(({ schema: layer }) => isMap(get(layer, "additionalProperties")));
    for (const name of this.required) {
      if (!this.fields.has(name))
        this.fields.set(
          name,
          others.flatMap(({ schema: layer, at }) => this.flatten(layer.additionalProperties, at)),
        );
    }
  }

  // The constraints that `check` leaves to the server, as pointers.
  unenforced() {
    const found = [];
    const leave = (schema, at, enforced) => {
      for (const keyword of Object.keys(schema))
        if (OTHERS.includes(keyword) && !enforced.includes(keyword)) found.push(at + pointer(keyword));
    };
    for (const { schema, at } of this.layers) {
      const others = get(schema, "additionalProperties");
      const isEnforced = !has(schema, "patternProperties") && (isFlag(others) || this.layers.length === 1);
      leave(schema, at, ["properties", "required", ...(isEnforced ? ["additionalProperties"] : [])]);
    }
    for (const layers of this.fields.values())
      for (const { schema, at } of layers) leave(schema, at, this.enforcedOf(schema, true));
    return found;
  }

  enforcedOf(schema, withItems) {
    const enforced = ["multipleOf"];
    if (get(schema, "items") === true) enforced.push("items");
    if (has(schema, "const") && !Array.isArray(schema.const)) enforced.push("const");
    if (has(schema, "enum") && !schema.enum.some(Array.isArray)) enforced.push("enum");
    for (const keyword of ["anyOf", "oneOf"]) {
      const members = (get(schema, keyword) ?? []).filter((member) => !isNull(member));
      const isCheap =
        keyword === "anyOf" &&
        withItems &&
        members.length <= LAYERS &&
        members.every(
          (member) => isMap(member) && !Object.keys(member).some((name) => [...OTHERS, "$ref", "allOf"].includes(name)),
        );
      if (members.length === 1 || members.every(isChoice) || isCheap) enforced.push(keyword);
    }
    if (withItems && !has(schema, "prefixItems") && (isMap(get(schema, "items")) || isFlag(get(schema, "items")))) {
      const layers = this.flatten(schema.items, "").filter(({ schema: layer }) => layer !== true);
      const isOne =
        layers.filter(({ schema: layer }) => Object.keys(layer).some((name) => CHEAP.includes(name))).length <= 1;
      if (isOne || layers.some(({ schema: layer }) => choicesOf(layer).length)) enforced.push("items");
    }
    return enforced;
  }

  // What a user interface shows, field by field.
  shown() {
    return [...this.fields].map(([name, layers]) =>
      this.field(
        name,
        layers.map(({ schema }) => schema),
      ),
    );
  }

  // The types that the value of a field may have.
  typesOf(name) {
    const layers = this.fields.get(name);
    return new Set(TYPES.filter((type) => layers.every(({ schema }) => typesOf(schema).has(type))));
  }

  // All that must hold of each item of a list.
  itemsOf(layers) {
    return layers
      .filter(({ schema }) => isMap(get(schema, "items")))
      .flatMap(({ schema }) => this.flatten(schema.items, ""));
  }

  field(name, schemas) {
    const said = (keyword) => schemas.map((schema) => get(schema, keyword)).find((value) => value !== undefined);
    const title = said("title");
    const { kind, choices } = this.kindOf(schemas);
    const isSecret =
      ["string", "number", "integer", "unsupported"].includes(kind) &&
      (said("format") === "password" || asksForSecret(name, title, said("description")));
    const field = { name, kind, label: title || name, required: this.required.includes(name), sensitive: isSecret };
    const value = said("default");
    if (value !== undefined && value !== null && !isMap(value) && (!Array.isArray(value) || value.every(isText)))
      field.default = value;
    for (const keyword of ["description", "format"]) {
      if (said(keyword) !== undefined) field[keyword] = said(keyword);
    }
    const tightest = { minimum: Math.max, maximum: Math.min, minLength: Math.max, maxLength: Math.min };
    for (const [keyword, choose] of Object.entries({ ...tightest, minItems: Math.max, maxItems: Math.min })) {
      const bounds = schemas.map((schema) => get(schema, keyword)).filter((bound) => bound !== undefined);
      if (bounds.length) field[keyword] = choose(...bounds);
    }
    return choices ? { ...field, choices } : field;
  }

  kindOf(schemas) {
    const types = TYPES.filter((type) => type !== "null" && schemas.every((schema) => typesOf(schema).has(type)));
    const fits = ({ value }) => types.some((type) => isOfType(value)[type]);
    const items = schemas
      .filter((schema) => isMap(get(schema, "items")))
      .flatMap((schema) => this.flatten(schema.items, ""));
    const ofItems = meeting(items.map(({ schema }) => schema));
    if (ofItems?.length && types.includes("array")) return { kind: "choices", choices: ofItems };
    const chosen = meeting(schemas)?.filter(fits);
    if (chosen) return chosen.length ? { kind: "choice", choices: chosen } : { kind: "unsupported" };
    if (!types.length || types.some((type) => type === "array" || type === "object")) return { kind: "unsupported" };
    if (types.includes("string")) return { kind: "string" };
    if (types.length === 1) return { kind: types[0] };
    return { kind: types.includes("boolean") ? "unsupported" : "number" };
  }

  // Every subschema has its shape, every reference leads into the schema and never round in a circle. The weight of a
  // schema are the subschemas and choices in it, with every reference followed.
  weigh(schema, at, open) {
    if (isFlag(schema)) return 1;
    if (!isMap(schema)) throw invalid(at);
    if (open.includes(schema)) throw invalid(at);
    if (this.weights.has(schema)) return this.weights.get(schema);
    if (open.length === LEVELS) throw tooLarge(at);
    const inside = [...open, schema];
    let weight = 1;
    for (const [keyword, value] of Object.entries(schema)) {
      if (has(SHAPES, keyword) && !SHAPES[keyword](value)) throw invalid(at + pointer(keyword));
    }
    for (const [keyword, value] of Object.entries(schema)) {
      const place = at + pointer(keyword);
      if (Array.isArray(value) && ["enum", ...MANY].includes(keyword) && value.length > CHOICES) throw tooLarge(place);
      if (keyword === "enum") weight += value.length;
      if (REFERENCES.includes(keyword)) weight += this.weighTarget(keyword, value, place, inside);
      if (ONE.includes(keyword)) {
        const isList = keyword === "items" && Array.isArray(value) && !this.isLatest;
        if (!isList && !isSchema(value)) throw invalid(place);
        weight += (isList ? value : [value]).reduce(
          (sum, part, index) => sum + this.weigh(part, isList ? place + pointer(index) : place, inside),
          0,
        );
      }
      if (MANY.includes(keyword))
        value.forEach((part, index) => (weight += this.weigh(part, place + pointer(index), inside)));
      if (NAMED.includes(keyword)) {
        for (const [name, part] of Object.entries(value)) {
          if (name.length > 1000) throw tooLarge(place);
          weight += this.weigh(part, place + pointer(name), inside);
        }
      }
      if (weight > SUBSCHEMAS) throw tooLarge(at);
    }
    this.weights.set(schema, weight);
    return weight;
  }

  weighTarget(keyword, reference, place, open) {
    // Where a dynamic reference leads depends on the way there.
    if (keyword !== "$ref" && reference.startsWith("#")) return 0;
    return this.weigh(this.target(reference, place), decodeURIComponent(reference.slice(1)), open);
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
      let layer = next.schema === false ? { enum: [] } : next.schema;
      if (found.length === LAYERS) throw tooLarge(next.at);
      if (this.refAlone && has(layer, "$ref")) {
        const annotations = ["title", "description", "default", "$ref"].filter((name) => has(layer, name));
        layer = Object.fromEntries(annotations.map((name) => [name, layer[name]]));
      }
      found.push({ schema: layer, at: next.at });
      if (has(layer, "$ref")) todo.push({ schema: this.target(layer.$ref, next.at), at: next.at });
      if ((get(layer, "allOf") ?? []).length > LAYERS) throw tooLarge(next.at);
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
    const undescribed = this.layers.filter(({ schema }) => !has(get(schema, "properties"), name));
    // What the form forbids is told so, whatever it holds.
    if (undescribed.some(({ schema }) => schema.additionalProperties === false && !has(schema, "patternProperties"))) {
      return ["not_allowed"];
    }
    if (Array.isArray(value) ? !value.every(isText) : value === null || isMap(value)) return ["not_sendable"];
    const others = undescribed.find(({ schema }) => isMap(get(schema, "additionalProperties")));
    if (others && !this.fields.has(name))
      return this.faults(value, this.flatten(others.schema.additionalProperties, ""));
    return this.faults(value, this.fields.get(name) ?? []);
  }

  faults(value, layers) {
    const chosen = (candidates, item) => candidates.every((values) => values.some((one) => one === item));
    if (
      !chosen(
        layers.flatMap(({ schema }) => choicesOf(schema)),
        value,
      )
    )
      return ["not_a_choice"];
    const items = Array.isArray(value)
      ? layers.flatMap(({ schema }) =>
          isMap(get(schema, "items"))
            ? this.flatten(schema.items, "")
            : get(schema, "items") === false
              ? [{ schema: { enum: [] } }]
              : [],
        )
      : [];
    const ofItems = items.flatMap(({ schema }) => choicesOf(schema));
    if (Array.isArray(value) && !value.every((item) => chosen(ofItems, item))) return ["not_a_choice"];
    const codes = new Set(layers.flatMap(({ schema }) => [...broken(value, schema)]));
    const ofItem = Array.isArray(value)
      ? value.flatMap((item) => items.flatMap(({ schema }) => [...broken(item, schema)]))[0]
      : undefined;
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

const tooLarge = (at) => new RemoteError("schema_too_large", at);
const invalid = (at) => new RemoteError("schema_invalid", at);

export const isNull = (schema) =>
  isMap(schema) &&
  (schema.type === "null" ||
    (Array.isArray(schema.type) && schema.type.join() === "null") ||
    get(schema, "const") === null);

const isChoice = (member) =>
  has(member, "const") &&
  !isMap(member.const) &&
  !Array.isArray(member.const) &&
  Object.keys(member).every((name) => ["const", "title", "type", "description"].includes(name));

function typesOf(schema) {
  const members = (get(schema, "anyOf") ?? []).filter((member) => !isNull(member));
  const areTyped = members.length > 1 && members.every((member) => has(member, "type"));
  const types = new Set(
    has(schema, "type") ? [schema.type].flat() : areTyped ? members.flatMap((member) => member.type) : TYPES,
  );
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
    found.push(
      keyword === "oneOf" ? values.filter((value) => values.filter((other) => other === value).length === 1) : values,
    );
  }
  return found;
}

// What may be chosen, with labels, where every keyword that lets choose must agree; nothing where none does.
function meeting(schemas) {
  const lists = schemas.flatMap((schema) => choicesOf(schema));
  if (!lists.length) return undefined;
  // The first member with a value labels it.
  const labels = new Map();
  const label = (value, text) => labels.has(value) || labels.set(value, isText(text) ? text : undefined);
  for (const schema of schemas) {
    const names = Array.isArray(get(schema, "enumNames")) ? schema.enumNames : [];
    (get(schema, "enum") ?? []).forEach((value, place) => label(value, names[place]));
    for (const member of [...(get(schema, "anyOf") ?? []), ...(get(schema, "oneOf") ?? [])]) {
      if (has(member, "const")) label(member.const, get(member, "title"));
    }
  }
  const isScalar = (value) => isText(value) || isNumber(value) || isFlag(value);
  return [...new Set(lists[0])]
    .filter((value) => isScalar(value) && lists.every((list) => list.includes(value)))
    .map((value) => ({ value, label: labels.get(value) ?? (isText(value) ? value : JSON.stringify(value)) }));
}

const isOfType = (value) => ({
  string: isText(value),
  boolean: isFlag(value),
  number: isNumber(value),
  integer: Number.isInteger(value),
  array: Array.isArray(value),
});

function* broken(value, schema) {
  const types = typesOf(schema);
  const isOf = isOfType(value);
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
    if (below("minimum", value) || (has(schema, "exclusiveMinimum") && value <= schema.exclusiveMinimum))
      yield "too_small";
    if (above("maximum", value) || (has(schema, "exclusiveMaximum") && value >= schema.exclusiveMaximum))
      yield "too_large";
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
