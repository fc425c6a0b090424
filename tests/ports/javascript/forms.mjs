// Forms: whether content fits the schema that asked for it, and the defaults that do.

import { RemoteError, get, has, isMap, isNumber, isText, pick, pointer } from "./errors.mjs";
import { FORMATS } from "./formats.mjs";
import { asksForSecret } from "./secrets.mjs";
import { strip } from "./text.mjs";

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

// The keywords that hold one schema, a list of them, or schemas by name.
const ONE =
  "items additionalItems additionalProperties not if then else contains contentSchema propertyNames unevaluatedItems unevaluatedProperties".split(
    " ",
  );
const MANY = ["anyOf", "oneOf", "allOf", "prefixItems"];
const NAMED = ["properties", "$defs", "definitions", "patternProperties", "dependencies", "dependentSchemas"];

// What JSON Schema demands of its own keywords, as far as forms meet them.
const SHAPES = {
  ...Object.fromEntries(
    ["$ref", "$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor", "format", "pattern"].map((name) => [name, isText]),
  ),
  ...Object.fromEntries(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((name) => [name, isNumber])),
  ...Object.fromEntries(
    ["Length", "Items", "Contains", "Properties"].flatMap((name) => [
      ["min" + name, isCount],
      ["max" + name, isCount],
    ]),
  ),
  ...Object.fromEntries(ONE.map((name) => [name, (value) => isSchema(value) || Array.isArray(value)])),
  ...Object.fromEntries(MANY.map((name) => [name, (value) => Array.isArray(value) && value.length > 0])),
  ...Object.fromEntries(NAMED.map((name) => [name, isMap])),
  dependentRequired: (value) => isMap(value) && Object.values(value).every(areNames),
  uniqueItems: isFlag,
  enum: Array.isArray,
  multipleOf: (value) => isNumber(value) && value > 0,
  required: areNames,
  type: (value) =>
    isText(value)
      ? TYPES.includes(value)
      : areNames(value) && value.length > 0 && value.every((name) => TYPES.includes(name)),
};
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

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
  constructor(schema, message) {
    this.root = schema;
    this.message = message;
    const dialect = has(schema, "$schema") ? schema.$schema : DIALECTS[0];
    if (!isText(dialect)) throw invalid("/$schema");
    if (!DIALECTS.includes(dialect.replace(/#$/, ""))) throw new RemoteError("schema_dialect", "/$schema");
    // Draft-07 ignores what stands beside a reference.
    this.refAlone = dialect.startsWith(DIALECTS[2]);
    this.isLatest = dialect.replace(/#$/, "") === DIALECTS[0];
    this.weights = new Map();
    if (Buffer.byteLength(JSON.stringify(schema)) > 131072) throw tooLarge("");
    this.weigh(schema, "", []);
    // The constraints that `check` leaves to the server, as pointers.
    this.unenforced = [];
    this.layers = this.flatten(schema, "", true);
    for (const { schema: layer, at } of this.layers) if (!typesOf(layer).has("object")) throw invalid(at + "/type");
    this.required = [...new Set(this.layers.flatMap(({ schema: layer }) => get(layer, "required") ?? []))];
    for (const { schema: layer, at } of this.layers) {
      const others = get(layer, "additionalProperties");
      const isEnforced = !has(layer, "patternProperties") && (isFlag(others) || this.layers.length === 1);
      this.leave(layer, at, ["properties", "required", ...(isEnforced ? ["additionalProperties"] : [])]);
    }
    const described = new Map();
    for (const { schema: layer, at } of this.layers) {
      for (const [name, field] of Object.entries(get(layer, "properties") ?? {})) {
        const layers = this.flatten(field, at + pointer("properties", name));
        described.set(name, [...(described.get(name) ?? []), ...layers]);
      }
    }
    this.fields = new Map([...described].map(([name, layers]) => [name, this.read(layers, "field")]));
    const others = this.layers
      .filter(({ schema: layer }) => isMap(get(layer, "additionalProperties")))
      .flatMap(({ schema: layer, at }) => this.flatten(layer.additionalProperties, at + "/additionalProperties"));
    this.others = this.read(others, "field");
    this.conditional = this.findConditional();
    for (const name of [...this.required, ...this.conditional.keys()]) {
      const shown = this.conditional.has(name) ? [this.conditional.get(name)] : this.others.schemas;
      if (!this.fields.has(name)) this.fields.set(name, { ...this.others, schemas: shown });
      else this.conditional.delete(name);
    }
    for (const name of described.keys()) this.conditional.delete(name);
    this.unenforced = [...new Set(this.unenforced)];
  }

  leave(schema, at, enforced) {
    for (const keyword of Object.keys(schema)) {
      const isOne = ["anyOf", "oneOf"].includes(keyword) && membersOf(schema, keyword).length === 1;
      if (OTHERS.includes(keyword) && !enforced.includes(keyword) && !isOne)
        this.unenforced.push(at + pointer(keyword));
    }
  }

  // The fields that the form has only under some condition, with a schema of each.
  findConditional() {
    const below = (schema) => [
      ...["anyOf", "oneOf"].flatMap((keyword) => get(schema, keyword) ?? []),
      ...["then", "else"].flatMap((keyword) => (has(schema, keyword) ? [schema[keyword]] : [])),
      ...["dependentSchemas", "dependencies"].flatMap((keyword) => Object.values(get(schema, keyword) ?? {})),
    ];
    const todo = this.layers.flatMap(({ schema }) => below(schema));
    const found = new Map();
    for (const schema of todo) {
      if (!isMap(schema)) continue;
      todo.push(...(get(schema, "allOf") ?? []), ...below(schema));
      if (has(schema, "$ref")) todo.push(this.target(schema.$ref, ""));
      for (const [name, field] of Object.entries(get(schema, "properties") ?? {}))
        if (!found.has(name)) found.set(name, isMap(field) ? field : {});
    }
    return found;
  }

  // All that must hold of one value, of a field, of an item of a list, or of an alternative.
  read(layers, role) {
    const whole = { types: new Set(TYPES), open: new Set(TYPES), steps: [], suggested: [], groups: [], schemas: [] };
    for (const { schema, at } of layers) {
      const one = this.readOne(schema, at, role);
      whole.types = meet(whole.types, one.types);
      whole.open = meet(whole.open, one.open);
      whole.choices = meetChoices(whole.choices, one.choices);
      whole.suggested = [...whole.suggested, ...one.suggested];
      whole.groups.push(...one.groups);
      whole.steps.push({ schema, types: one.types });
      whole.schemas.push(schema);
      if (one.items && whole.items) {
        whole.items = {
          types: meet(whole.items.types, one.items.types),
          choices: meetChoices(whole.items.choices, one.items.choices),
          steps: [...whole.items.steps, ...one.items.steps],
          schemas: [...whole.items.schemas, ...one.items.schemas],
        };
      } else whole.items ??= one.items;
    }
    whole.choices = whole.choices?.filter(({ value }) => isOneOf(value, whole.types));
    return whole;
  }

  readOne(schema, at, role) {
    const enforced = ["multipleOf"];
    const one = { types: typesOf(schema), open: typesOf(schema), suggested: [], groups: [] };
    for (const [keyword, choices] of choicesOf(schema)) {
      one.choices = meetChoices(one.choices, choices);
      enforced.push(keyword);
    }
    for (const keyword of role === "alternative" ? [] : ["anyOf", "oneOf"]) {
      if (enforced.includes(keyword) || membersOf(schema, keyword).length < 2) continue;
      const read = this.readComposition(schema, keyword, at, role);
      one.types = meet(one.types, read.types);
      one.open = meet(one.open, read.open);
      if (read.isFree) one.suggested.push(...read.choices);
      else one.choices = meetChoices(one.choices, read.choices);
      if (read.isEnforced) enforced.push(keyword);
      if (read.group) one.groups.push(read.group);
    }
    if (role === "field" && (has(schema, "items") || has(schema, "prefixItems"))) {
      const items = has(schema, "items") ? schema.items : true;
      if (Array.isArray(items) || has(schema, "prefixItems")) one.items = { types: new Set(), steps: [], schemas: [] };
      else {
        const read = this.read(this.flatten(items, at + "/items"), "item");
        const isOne = read.steps.filter((step) => isSaying(step)).length <= 1;
        if (read.choices || isOne) enforced.push("items");
        one.items = read.choices || isOne ? read : { types: read.types, steps: [], schemas: [] };
      }
    }
    this.leave(schema, at, enforced);
    return one;
  }

  // The members of an `anyOf` or `oneOf`: choices if all of them are, else alternatives.
  readComposition(schema, keyword, at, role) {
    const left = this.unenforced.length;
    const members = membersOf(schema, keyword).map(([place, member]) => {
      const layers = this.flatten(member, at + pointer(keyword, place), true);
      const read = this.read(layers, "alternative");
      if (read.choices?.length !== 1) return read;
      const [title, description] = ["title", "description"].map((name) => firstText(read.schemas, name));
      return { ...read, choices: [choiceOf(read.choices[0].value, title, description)] };
    });
    const isExact = this.unenforced.length === left;
    const isPlain = (member) => member.choices && !member.steps.some((step) => isSaying(step, ["type"]));
    const choices = members.flatMap((member) => member.choices ?? []);
    const free = members.filter((member) => !member.choices);
    const open = new Set(free.flatMap(({ types }) => [...types]));
    const types = new Set([...open, ...choices.flatMap(({ value }) => TYPES.filter((name) => isOfType(value)[name]))]);
    const read = { types, open, choices: distinct(choices), isFree: free.length > 0 };
    const others = members.filter((member) => !isPlain(member));
    if (others.length) {
      // The schema `false` is no choice at all.
      const plain = members.filter((member) => isPlain(member) && member.choices.length);
      const group = [
        ...(plain.length ? [{ ...plain[0], choices: plain.flatMap((one) => one.choices) }] : []),
        ...others,
      ];
      const cost = others.flatMap(({ steps }) => steps.filter((step) => isSaying(step))).length;
      if (keyword === "anyOf" && role === "field" && Math.max(group.length, cost) <= LAYERS) read.group = group;
      read.isEnforced = Boolean(read.group);
    } else {
      read.isEnforced = keyword === "anyOf" || isExact;
      if (keyword === "oneOf" && isExact) read.choices = unique(choices);
    }
    // What is not enforced is left to the server as a whole.
    if (!read.isEnforced) this.unenforced.length = left;
    return read;
  }

  get title() {
    const title = firstText(this.schemas, "title");
    return title && strip(title) ? title : undefined;
  }

  get description() {
    return firstText(this.schemas, "description");
  }

  get schemas() {
    return this.layers.map(({ schema }) => schema);
  }

  // What a user interface shows, field by field.
  shown() {
    const fields = [...this.fields].map(([name, read]) => this.field(name, read));
    const typed = fields.filter(({ kind }) => ["string", "number", "integer", "strings"].includes(kind));
    if (typed.length === 1 && asksForSecret(this.message, this.title, this.description)) typed[0].sensitive = true;
    return fields;
  }

  field(name, read) {
    const { schemas } = read;
    const title = firstText(schemas, "title");
    const { kind, choices } = this.isForbidden(name) ? { kind: "unsupported" } : kindOf(read);
    const ofText = kind === "strings" ? (read.items?.schemas ?? []) : schemas;
    const isSecret =
      !["boolean", "choice", "choices"].includes(kind) &&
      (firstText(ofText, "format") === "password" || asksForSecret(name, title, firstText(schemas, "description")));
    const label = title && strip(title) ? title : name;
    const field = { name, kind, label, required: this.required.includes(name), sensitive: isSecret };
    const value = schemas.find((schema) => has(schema, "default"))?.default;
    if (value !== undefined && value !== null && !isMap(value) && (!Array.isArray(value) || value.every(isText)))
      field.default = value;
    const texts = { description: schemas, format: ofText, pattern: ofText };
    for (const [keyword, said] of Object.entries(texts))
      if (firstText(said, keyword) !== undefined) field[keyword] = firstText(said, keyword);
    const [least, most] = [Math.min, Math.max];
    const tightest = {
      ...{ minimum: most, exclusiveMinimum: most, minLength: most, minItems: most },
      ...{ maximum: least, exclusiveMaximum: least, maxLength: least, maxItems: least, multipleOf: (one) => one },
    };
    for (const [keyword, choose] of Object.entries(tightest)) {
      const said = keyword.endsWith("Length") ? ofText : schemas;
      const bounds = said.map((schema) => get(schema, keyword)).filter((bound) => bound !== undefined);
      if (bounds.length) field[keyword] = choose(...bounds);
    }
    return choices?.length ? { ...field, choices } : field;
  }

  // What only a composition describes cannot be shown, nor what the form requires and forbids.
  isForbidden(name) {
    return this.conditional.has(name) || this.isNotAllowed(name);
  }

  isNotAllowed(name) {
    return this.schemas.some(
      (schema) =>
        get(schema, "additionalProperties") === false &&
        !has(schema, "patternProperties") &&
        !has(get(schema, "properties"), name),
    );
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
      if (Array.isArray(value) && ["enum", "items", ...MANY].includes(keyword) && value.length > CHOICES) throw tooLarge(place);
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
          // `dependencies` may list names in place of a schema.
          if (keyword !== "dependencies" || !areNames(part))
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
    return this.weigh(this.target(reference, place), unquote(reference.slice(1)), open);
  }

  target(reference, at) {
    if (!reference.startsWith("#")) throw new RemoteError("schema_external_ref", at);
    let found = this.root;
    const path = unquote(reference.slice(1));
    for (const token of path.split("/").slice(1)) {
      const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
      found = Array.isArray(found) ? found[name] : get(found, name);
    }
    if (!isSchema(found) || !/^(\/|$)/.test(path)) throw invalid(at);
    return found;
  }

  // All that must hold at once: references, `allOf`, and what is left of a choice between a schema and null.
  // A title that only a definition has names the definition, and counts where `keepsTitles`.
  flatten(schema, at, keepsTitles = false) {
    const found = [];
    const todo = [{ schema, at, isTitled: true }];
    while (todo.length) {
      const next = todo.shift();
      if (next.schema === true) continue;
      let layer = next.schema === false ? { enum: [] } : next.schema;
      if (found.length === LAYERS) throw tooLarge(next.at);
      if (has(layer, "$ref")) {
        const place = unquote(layer.$ref.slice(1));
        todo.push({ schema: this.target(layer.$ref, next.at), at: place, isTitled: keepsTitles });
        if (this.refAlone) layer = pick(layer, ["title", "description", "default"]);
      }
      if (!next.isTitled) layer = Object.fromEntries(Object.entries(layer).filter(([name]) => name !== "title"));
      found.push({ schema: layer, at: next.at });
      const parts = get(layer, "allOf") ?? [];
      if (parts.length > LAYERS) throw tooLarge(next.at);
      const add = (part, ...path) => todo.push({ ...next, schema: part, at: next.at + pointer(...path) });
      parts.forEach((part, place) => add(part, "allOf", place));
      for (const keyword of ["anyOf", "oneOf"]) {
        const members = membersOf(layer, keyword);
        if (members.length === 1 && !readChoice(members[0][1])) add(members[0][1], keyword, members[0][0]);
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
    // What the form forbids is told so, whatever it holds.
    if (this.isNotAllowed(name)) return ["not_allowed"];
    if (Array.isArray(value) ? !value.every(isText) : value === null || isMap(value)) return ["not_sendable"];
    return faults(value, this.fields.get(name) ?? this.others);
  }

  defaults() {
    const found = {};
    for (const [name, { schemas }] of this.fields) {
      const value = schemas.find((schema) => has(schema, "default"))?.default;
      if (value !== undefined && value !== null && !this.codesOf(name, value).length) found[name] = value;
    }
    return found;
  }
}

// What is no escape stays as it is, and bytes that are no UTF-8 become U+FFFD.
const unquote = (text) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString());

const tooLarge = (at) => new RemoteError("schema_too_large", at);
const invalid = (at) => new RemoteError("schema_invalid", at);

const isNull = (schema) =>
  isMap(schema) &&
  (schema.type === "null" ||
    (Array.isArray(schema.type) && schema.type.join() === "null") ||
    get(schema, "const") === null ||
    JSON.stringify(get(schema, "enum")) === "[null]");

// The members of a composition by their place, without those for null: no answer is null.
const membersOf = (schema, keyword) =>
  [...(get(schema, keyword) ?? []).entries()].filter(([, member]) => !isNull(member));

const firstText = (schemas, name) => schemas.map((schema) => get(schema, name)).find(isText);

const isScalar = (value) => isText(value) || isNumber(value) || isFlag(value);

// A label that is blank or no text gives way to the value.
const choiceOf = (value, title, description) => ({
  value,
  label: isText(title) && strip(title) ? title : isText(value) ? value : JSON.stringify(value),
  ...(isText(description) ? { description } : {}),
});

// A member of a composition that stands for one value; an enum of one value stands for a const.
function readChoice(member) {
  const known = ["const", "enum", "title", "type", "description"];
  if (
    !isMap(member) ||
    Object.keys(member).some((name) => [...CHEAP, ...OTHERS, "$ref", "allOf"].includes(name) && !known.includes(name))
  )
    return undefined;
  if (has(member, "const") === has(member, "enum")) return undefined;
  const values = has(member, "enum") ? member.enum : [member.const];
  if (values.length !== 1 || !isScalar(values[0])) return undefined;
  return choiceOf(values[0], get(member, "title"), get(member, "description"));
}

// Of equal values the first counts.
const distinct = (choices) => {
  const found = new Map();
  for (const choice of choices) if (!found.has(choice.value)) found.set(choice.value, choice);
  return [...found.values()];
};

// What satisfies two members of `oneOf` does not satisfy it.
const unique = (choices) =>
  choices.filter(({ value }) => choices.filter((other) => other.value === value).length === 1);

const meet = (one, other) => new Set([...one].filter((name) => other.has(name)));

const meetChoices = (one, other) => {
  if (!one || !other) return one ?? other;
  return one.filter(({ value }) => other.some((choice) => choice.value === value));
};

export const isType = SHAPES.type;

export function typesOf(schema) {
  const types = new Set(has(schema, "type") ? [schema.type].flat() : TYPES);
  if (types.has("number")) types.add("integer");
  return types;
}

// The values to choose from, by the keyword that lets choose; no choice can be a list or a map.
function choicesOf(schema) {
  const found = [];
  const scalars = (values, names) =>
    distinct(values.map((value, place) => choiceOf(value, names[place])).filter(({ value }) => isScalar(value)));
  if (has(schema, "const") && !Array.isArray(schema.const)) found.push(["const", scalars([schema.const], [])]);
  if (has(schema, "enum") && !schema.enum.some(Array.isArray)) {
    const names = get(schema, "enumNames");
    found.push(["enum", scalars(schema.enum, Array.isArray(names) ? names : [])]);
  }
  for (const keyword of ["anyOf", "oneOf"]) {
    if (!has(schema, keyword)) continue;
    const members = membersOf(schema, keyword).map(([, member]) => member);
    if (!members.every(readChoice)) continue;
    const choices = members.filter((member) => isOneOf(readChoice(member).value, typesOf(member))).map(readChoice);
    found.push([keyword, keyword === "oneOf" ? unique(choices) : distinct(choices)]);
  }
  return found;
}

const isOfType = (value) => ({
  string: isText(value),
  boolean: isFlag(value),
  number: isNumber(value),
  integer: Number.isInteger(value),
  array: Array.isArray(value),
});

export const isOneOf = (value, types) => [...types].some((name) => isOfType(value)[name]);

// Whether a schema demands anything that one pass over a value checks.
const isSaying = ({ schema, types }, beside = []) =>
  Object.keys(schema).some(
    (name) =>
      ((CHEAP.includes(name) && (name !== "format" || has(FORMATS, schema.format))) || name === "multipleOf") &&
      !beside.includes(name),
  ) ||
  (!beside.includes("type") && types.size < typesOf(schema).size);

function kindOf({ types, open, choices, suggested, items, schemas }) {
  if (items?.choices && types.has("array")) {
    const sendable = items.choices.filter(({ value }) => isText(value));
    return sendable.length ? { kind: "choices", choices: sendable } : { kind: "unsupported" };
  }
  if (choices) return choices.length ? { kind: "choice", choices } : { kind: "unsupported" };
  const kind = kindOfOpen(open, items, schemas);
  const allowed = distinct(suggested).filter(({ value }) => isOneOf(value, types));
  if (kind === "string") return { kind, choices: allowed.filter(({ value }) => isText(value)) };
  return kind === "unsupported" && allowed.length ? { kind: "choice", choices: allowed } : { kind };
}

function kindOfOpen(open, items, schemas) {
  if (schemas.some((schema) => has(schema, "enum") || has(schema, "const"))) return "unsupported";
  let types = open;
  if (["array", "object", "string"].every((name) => open.has(name))) {
    if (items) types = new Set(["array"]);
    else if (schemas.some((schema) => has(schema, "properties") || has(schema, "patternProperties")))
      return "unsupported";
  }
  if (types.has("string")) return "string";
  const scalars = ["number", "integer", "boolean"].filter((name) => types.has(name));
  if (scalars.includes("number") && scalars.length === 2) return "number";
  if (scalars.length) return scalars.length === 1 ? scalars[0] : "unsupported";
  return types.has("array") && (!items || items.types.has("string")) ? "strings" : "unsupported";
}

function faults(value, read) {
  const isAmong = (choices, item) => !choices || choices.some((choice) => choice.value === item);
  if (!isAmong(read.choices, value)) return ["not_a_choice"];
  const items = Array.isArray(value) && read.items ? value : [];
  if (!items.every((item) => isAmong(read.items.choices, item))) return ["not_a_choice"];
  const codes = new Set(read.steps.flatMap((step) => [...broken(value, step)]));
  if (!codes.has("wrong_type") && read.groups.some((group) => group.every((one) => faults(value, one).length)))
    codes.add("other");
  const ofItem = items.flatMap((item) => read.items.steps.flatMap((step) => [...broken(item, step)]))[0];
  if (ofItem) codes.add(ofItem);
  return [...codes];
}

function* broken(value, { schema, types }) {
  if (!isOneOf(value, types)) return yield "wrong_type";
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
