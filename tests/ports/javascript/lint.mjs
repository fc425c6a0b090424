// Everything that is wrong with a result, and what is unwise in it; a reader stops at the first error.

import { MrtrError, get, has, isMap, isText, pointer } from "./errors.mjs";
import { receive, start } from "./exchange.mjs";
import { Form, isOneOf, isType, typesOf } from "./forms.mjs";
import { FORMATS } from "./formats.mjs";
import { LIMITS, gateFaults, tooDeep } from "./gates.mjs";
import { ELICIT, ROOTS, SAMPLE, asResult, elicitationOf, isFlat } from "./reader.mjs";
import { messageFindings } from "./sampling.mjs";
import { asksForSecret } from "./secrets.mjs";
import * as tasks from "./tasks.mjs";
import { WHITE, strip } from "./text.mjs";
import { inspectUrl } from "./urls.mjs";

const METHODS = ["prompts/get", "resources/read", "tools/call"];
const MOST = 1000;
const LINK = new RegExp(`(?:[a-z]://|\\bwww\\.)[^${WHITE}]`, "i");
const KNOWN =
  "$ref $defs definitions $id $anchor $dynamicAnchor $dynamicRef $recursiveRef additionalItems additionalProperties allOf anyOf const contains dependencies dependentRequired dependentSchemas enum exclusiveMaximum exclusiveMinimum format if items maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf not oneOf pattern patternProperties prefixItems properties propertyNames required type unevaluatedItems unevaluatedProperties uniqueItems".split(
    " ",
  );
const ALLOWED = {
  string: ["type", "minLength", "maxLength", "format", "enum", "oneOf"],
  number: ["type", "minimum", "maximum"],
  integer: ["type", "minimum", "maximum"],
  boolean: ["type"],
  array: ["type", "minItems", "maxItems", "items"],
};

const error = (code, at) => ({ code, at, severity: "error" });
const warning = (code, at) => ({ code, at, severity: "warning" });

export function lint({ raw, method, capabilities }) {
  const found = [...findings(raw, method, capabilities)];
  const errors = found.filter(({ severity }) => severity === "error").slice(0, MOST);
  const refusal = errors.length === MOST ? fault(() => receive(start({ method: method ?? METHODS[0], capabilities }), raw)) : null;
  if (refusal && !errors.some(({ code, at }) => code === refusal.code && at === refusal.at)) errors[MOST - 1] = refusal;
  const warnings = found.filter(({ severity }) => severity === "warning").slice(0, MOST - errors.length);
  const kept = new Set([...errors, ...warnings]);
  return errors.length === MOST ? errors : found.filter((finding) => kept.has(finding));
}

function* findings(raw, method, capabilities) {
  if (!isMap(raw)) return yield error("wrong_type", "");
  const whole = fault(() => asResult(raw));
  if (whole) return yield error(whole.code, whole.at);
  const type = get(raw, "resultType");
  if (!has(raw, "resultType") && method !== "notifications/tasks") yield error("missing_member", "/resultType");
  const mayBecomeTask = type === "task" && (capabilities === undefined || tasks.declaresTasks(capabilities));
  if (tasks.TASK_METHODS.includes(method) || mayBecomeTask) return yield* ofTask(raw, method ?? "tools/call", capabilities);
  if (has(raw, "resultType") && type !== "complete" && type !== "input_required") yield error("unknown_result_type", "/resultType");
  const present = ["inputRequests", "requestState"].filter((name) => has(raw, name));
  if (type === "complete") {
    if (method === undefined || METHODS.includes(method))
      for (const name of present) yield warning("not_paused", "/" + name);
    return;
  }
  if (type === "input_required") {
    if (method !== undefined && !METHODS.includes(method)) yield error("method_not_supported", "/resultType");
    if (get(raw, "inputRequests") == null && get(raw, "requestState") == null) yield error("nothing_requested", "");
  }
  yield* asked(raw, capabilities);
  if (has(raw, "requestState")) yield* kept(raw.requestState);
  const deep = type === "input_required" ? fault(() => tooDeep(raw, 64)) : null;
  if (deep) yield error(deep.code, deep.at);
}

function* ofTask(raw, method, capabilities) {
  const known = { method, capabilities, limits: LIMITS };
  const faults = function* (found) {
    for (const { code, at } of found) yield error(code, at);
  };
  const tellsStatus = ["tasks/get", "notifications/tasks"].includes(method);
  yield* faults(tasks.typeFaults(known, raw));
  if (method === "notifications/tasks" && has(raw, "resultType")) yield error("unexpected_member", "/resultType");
  if (!tasks.ACKNOWLEDGED.includes(method)) {
    yield* faults(tasks.identityFaults(known, raw));
    yield* taskMembers(raw, tellsStatus);
  }
  if (tellsStatus) yield* faults(tasks.statusFaults(known, raw));
  if (tasks.asks(known, raw)) yield* asked(raw, capabilities);
  const deep = tellsStatus && tasks.ENDED.includes(get(raw, "status")) ? null : fault(() => tooDeep(raw, LIMITS.depth));
  if (deep) yield error(deep.code, deep.at);
}

// What no reader refuses in a task, and is wrong all the same.
function* taskMembers(raw, tellsStatus) {
  for (const name of ["createdAt", "lastUpdatedAt"]) {
    if (!has(raw, name)) yield error("missing_member", "/" + name);
    else if (!isText(raw[name])) yield error("wrong_type", "/" + name);
  }
  if (!has(raw, "ttlMs")) yield error("missing_member", "/ttlMs");
  for (const name of ["ttlMs", "pollIntervalMs"]) {
    const value = get(raw, name) ?? null;
    if (value === null && name === "pollIntervalMs" && has(raw, name)) yield error("null_member", "/" + name);
    if (value !== null && !Number.isInteger(value)) yield error("wrong_type", "/" + name);
  }
  const message = get(raw, "statusMessage");
  if (message === null) yield error("null_member", "/statusMessage");
  else if (message !== undefined && !isText(message)) yield error("wrong_type", "/statusMessage");
  const status = tellsStatus ? get(raw, "status") : null;
  if (tellsStatus && !tasks.STATUSES.includes(status)) return;
  const owners = { inputRequests: "input_required", result: "completed", error: "failed", requestState: "" };
  for (const [name, owner] of Object.entries(owners))
    if (owner !== status && has(raw, name)) yield error("unexpected_member", "/" + name);
}

function* asked(raw, capabilities) {
  if (!has(raw, "inputRequests")) return;
  const entries = raw.inputRequests;
  if (entries === null) return yield error("null_member", "/inputRequests");
  if (!isMap(entries)) return yield error("wrong_type", "/inputRequests");
  const keys = Object.keys(entries);
  if (!keys.length) yield warning("asks_nothing", "/inputRequests");
  if (keys.length > 100) yield error("too_large", "/inputRequests");
  for (const key of keys) yield* ofEntry(key, entries[key], capabilities);
}

function* kept(state) {
  if (state === null) yield error("null_member", "/requestState");
  else if (!isText(state)) yield error("wrong_type", "/requestState");
  else if ([...state].length > 1048576) yield error("too_large", "/requestState");
}

function* ofEntry(key, entry, capabilities) {
  const at = pointer("inputRequests", key);
  for (const { code, at: place } of gateFaults({ capabilities }, key, entry)) yield error(code, place);
  if (!isMap(entry)) return;
  if (isFlat(entry)) yield error("flat_entry", at);
  const method = isFlat(entry) ? ELICIT : get(entry, "method");
  if (isText(method) && ![ELICIT, SAMPLE, ROOTS].includes(method)) yield warning("unknown_method", at + "/method");
  if (method === ROOTS && has(entry, "params") && entry.params === null) yield error("null_member", at + "/params");
  if ([...key].length > 256) return;
  if (method === SAMPLE && isMap(entry.params)) yield* ofSampling(entry.params, at + "/params", capabilities);
  const elicitation = elicitationOf(entry);
  if (!elicitation) return;
  const { params, inside } = elicitation;
  const mode = has(params, "mode") ? params.mode : "form";
  if (has(params, "_meta") && !isMap(params._meta)) yield error("bad_meta", `${at}${inside}/_meta`);
  if (mode === "url" && isText(get(params, "url"))) {
    for (const word of inspectUrl(params.url).warnings)
      yield (word === "not_a_uri" ? error : warning)(word, `${at}${inside}/url`);
  }
  if (mode !== "form") return;
  yield* links(params, ["message"], at + inside);
  if (isText(get(params, "message")) && asksForSecret(params.message))
    yield warning("message_asks_for_secret", `${at}${inside}/message`);
  if (isMap(get(params, "requestedSchema")))
    yield* [...ofForm(params.requestedSchema, `${at}${inside}/requestedSchema`)].slice(0, 100);
}

function* ofSampling(params, at, capabilities) {
  const context = get(params, "includeContext") ?? "none";
  if (Array.isArray(get(params, "messages"))) yield* messageFindings(params.messages, at + "/messages");
  if (context !== "none" && capabilities !== undefined && (get(get(capabilities, "sampling"), "context") ?? null) === null)
    yield warning("undeclared_context", at + "/includeContext");
}

function* links(holder, names, at) {
  for (const name of names)
    if (isText(get(holder, name)) && LINK.test(holder[name])) yield warning("link_in_form", `${at}/${name}`);
}

function* ofForm(schema, at) {
  yield* annotations(schema, at);
  yield* links(schema, ["title", "description"], at);
  let form = null;
  const refused = fault(() => (form = new Form(schema)));
  if (refused) yield error(refused.code, at + refused.at);
  const unenforced = form?.unenforced.map((place) => at + place) ?? [];
  for (const finding of beyond(schema, at)) if (!unenforced.includes(finding.at)) yield finding;
  for (const place of unenforced) yield warning("constraint_unenforced", place);
  const fields = isMap(get(schema, "properties")) ? schema.properties : {};
  for (const [name, field] of Object.entries(fields)) {
    if (!isMap(field) || name.length > 1000) continue;
    const place = at + pointer("properties", name);
    yield* links(field, ["title", "description"], place);
    for (const [holder, inside] of [
      [field, place],
      [get(field, "items"), place + "/items"],
    ]) {
      if (!isMap(holder)) continue;
      yield* annotations(holder, inside);
      yield* choices(holder, inside);
    }
  }
  if (form) yield* filledIn(form, schema, fields, at);
}

function* beyond(schema, at) {
  const restricted = (place) => warning("schema_not_restricted", place);
  if (get(schema, "type") !== "object") yield restricted(at + "/type");
  const keywords = function* (holder, allowed, place) {
    for (const name of Object.keys(holder))
      if (KNOWN.includes(name) && !allowed.includes(name)) yield restricted(`${place}/${name}`);
  };
  yield* keywords(schema, ["type", "properties", "required"], at);
  if (!isMap(get(schema, "properties"))) return yield restricted(at + "/properties");
  for (const [name, field] of Object.entries(schema.properties)) {
    const place = at + pointer("properties", name);
    if (name.length > 1000) continue;
    if (!isMap(field)) yield restricted(place);
    else if (!isText(get(field, "type")) || !has(ALLOWED, field.type)) yield restricted(place + "/type");
    else {
      yield* keywords(field, ALLOWED[field.type], place);
      if (field.type === "string" && has(field, "format") && !has(FORMATS, field.format))
        yield restricted(place + "/format");
      if (field.type !== "array") continue;
      if (has(get(field, "items"), "enum") || has(get(field, "items"), "anyOf"))
        yield* keywords(field.items, ["type", "enum", "anyOf"], place + "/items");
      else yield restricted(place + "/items");
    }
  }
}

const TEXTS = ["title", "description", "$comment", "contentEncoding", "contentMediaType"];
const FLAGS = ["deprecated", "readOnly", "writeOnly"];

// Annotations of a wrong type are ignored.
function* annotations(schema, at) {
  const wrong = (names, isRight) => names.filter((name) => has(schema, name) && !isRight(schema[name]));
  const isFlag = (value) => typeof value === "boolean";
  for (const name of [...wrong(TEXTS, isText), ...wrong(FLAGS, isFlag), ...wrong(["examples"], Array.isArray)])
    yield warning("bad_annotation", `${at}/${name}`);
}

// What is wrong with the choices of a field, of each kind the first.
function* choices(holder, at) {
  const names = get(holder, "enumNames");
  const areNames = Array.isArray(names) && names.every(isText) && names.length === (get(holder, "enum") ?? []).length;
  if (has(holder, "enum") && has(holder, "enumNames") && !areNames)
    yield warning("choice_names_mismatch", at + "/enumNames");
  for (const keyword of ["enum", "anyOf", "oneOf"]) {
    const members = Array.isArray(get(holder, keyword)) ? holder[keyword] : [];
    if (keyword !== "enum")
      for (const [place, member] of members.entries())
        if (isMap(member)) yield* annotations(member, `${at}/${keyword}/${place}`);
    const isSingle = (member) => Array.isArray(get(member, "enum")) && member.enum.length === 1;
    const valueOf = (member) => (has(member, "const") ? member.const : isSingle(member) ? member.enum[0] : null);
    const values = keyword === "enum" ? members : members.map(valueOf);
    const titles = keyword === "enum" ? (Array.isArray(names) ? names : []) : members.map((member) => get(member, "title"));
    const label = (place) => (isText(titles[place]) && strip(titles[place]) ? titles[place] : String(values[place]));
    const isCalled = (place, other) =>
      label(place) === label(other) || label(place) === String(values[other]) || label(other) === String(values[place]);
    const isChoice = (value) => ["string", "number", "boolean"].includes(typeof value);
    const places = [...values.keys()];
    const scalars = places.filter((place) => isChoice(values[place]));
    const firstOf = (place) => values.indexOf(values[place]);
    const first = {
      repeated_choice: scalars.find((place) => firstOf(place) < place),
      repeated_label: scalars
        .filter((place) => firstOf(place) === place)
        .find((place, index, kept) => kept.slice(0, index).some((other) => isCalled(place, other))),
      choice_not_sendable: places.find((place) => typeof values[place] === "object" && values[place] !== null),
      // A type that is none is an error already.
      choice_of_wrong_type: scalars.find((place) => isType(holder.type) && !isOneOf(values[place], typesOf(holder))),
    };
    for (const [code, place] of Object.entries(first))
      if (place !== undefined) yield warning(code, `${at}/${keyword}/${place}`);
  }
}

// Whether the bounds of a field leave no value.
function isUnsatisfiable({ kind, ...said }) {
  const crossed = (low, high) => said[low] > said[high];
  if (["string", "strings"].includes(kind) && crossed("minLength", "maxLength")) return true;
  if (["choices", "strings"].includes(kind) && crossed("minItems", "maxItems")) return true;
  if (kind !== "number" && kind !== "integer") return false;
  const low = Math.max(said.minimum ?? -Infinity, said.exclusiveMinimum ?? -Infinity);
  const high = Math.min(said.maximum ?? Infinity, said.exclusiveMaximum ?? Infinity);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return false;
  const [isAbove, isBelow] = [low === said.exclusiveMinimum, high === said.exclusiveMaximum];
  const step = said.multipleOf ?? (kind === "integer" ? 1 : undefined);
  if (step === undefined) return low > high || (low === high && (isAbove || isBelow));
  const near = (number) => Number((number / step).toPrecision(15));
  const first = isAbove ? Math.floor(near(low)) + 1 : Math.ceil(near(low));
  return first > (isBelow ? Math.ceil(near(high)) - 1 : Math.floor(near(high)));
}

function* filledIn(form, schema, fields, at) {
  const defaults = form.defaults();
  for (const shown of form.shown()) {
    const { name, sensitive } = shown;
    const place = has(fields, name) ? at + pointer("properties", name) : at;
    if (sensitive) yield warning("asks_for_secret", place);
    if (form.fields.get(name).items?.choices?.some(({ value }) => !isText(value)))
      yield warning("choice_not_sendable", place);
    if (isUnsatisfiable(shown)) yield warning("bounds_unsatisfiable", place);
    const field = get(fields, name);
    if (!has(field, "default") || has(defaults, name)) continue;
    const mayBeNull = typesOf(field).has("null");
    if (field.default !== null || !mayBeNull) yield warning("default_invalid", place + "/default");
  }
  if (has(schema, "allOf") || has(schema, "$ref")) return;
  for (const [place, name] of (get(schema, "required") ?? []).entries()) {
    if (!has(fields, name)) yield warning("required_unknown", `${at}/required/${place}`);
  }
}

function fault(work) {
  try {
    work();
    return null;
  } catch (thrown) {
    if (thrown instanceof MrtrError) return thrown;
    throw thrown;
  }
}
