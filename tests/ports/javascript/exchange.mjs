// Whole exchanges: calls, pauses, and what is sent for them.

import { randomUUID } from "node:crypto";

import { answerToElicitResult, elicitationToRequest } from "./bridge.mjs";
import { LocalError, MrtrError, RemoteError, get, has, isMap, isText, mapValues, pointer } from "./errors.mjs";
import { Form } from "./forms.mjs";
import {
  ELICIT,
  ROOTS,
  SAMPLE,
  asResult,
  elicitationOf,
  entryFaults,
  inputRequests,
  isFlat,
  isInputRequired,
  requestState,
  urlFaults,
} from "./reader.mjs";
import { LIMITS, atMost, declaredBy, gateFaults, tooDeep } from "./gates.mjs";
import { canonical, digest } from "./identity.mjs";
import { CAPABILITIES, disclosuresOf, headersOf } from "./outgoing.mjs";
import {
  answeredTask,
  becomesTask,
  cancelTask,
  declaresTasks,
  delayOfTask,
  digestOf,
  entriesOfTask,
  receiveOfTask,
  sentOf,
} from "./tasks.mjs";
import { sameKeys, written } from "./writer.mjs";

const METHODS = ["prompts/get", "resources/read", "tools/call"];
// Of the sends before one: all, those with answers, those in a row without; and of the pauses before it: those in a row that
// asked nothing new, and the entries of the last that asked anything.
const COUNTS = { retry: 0, answered: 0, polls: 0, idle: 0, asked: [] };

// The kind of request that a map with this member answers; `ok` is the host's.
const KINDS = { action: ELICIT, ok: ELICIT, role: SAMPLE, roots: ROOTS };

class InvalidAnswer extends LocalError {
  constructor(errors) {
    super("invalid_answer", errors[0].at);
    this.errors = errors;
  }
}

export function exchange({ call, steps }) {
  const seen = { sends: [], headers: [], disclosures: [], asks: [], delays: [] };
  try {
    return { ...seen, outcome: play(call, steps, seen) };
  } catch (error) {
    if (!(error instanceof MrtrError)) throw error;
    const { code, at, errors } = error;
    return { ...seen, outcome: { error: errors ? { code, at, errors } : { code, at } } };
  }
}

function play(given, steps, seen) {
  let call = start(given);
  for (const step of steps) {
    const sent = { ...call, ...sentOf(call) };
    seen.sends.push(sent.params);
    seen.headers.push(headersOf(sent));
    seen.disclosures.push(disclosuresOf(sent));
    if (!step.receive) {
      call = step.restart ? restart(call) : cancelTask(call);
      continue;
    }
    let pause = receive(call, step.receive);
    if (pause.done) return pause.done;
    if (step.stored) pause = restored(pause, step.stored);
    const asked = askedBy(pause);
    const ids = idsOf(pause, asked);
    seen.asks.push(mapValues(ids, (id, key) => elicitationToRequest(asked[key], id)));
    seen.delays.push(delayOf(pause));
    call = step.cancelTask
      ? cancelTask(pause.call, pause.task)
      : resume(pause, step.answers ?? {}, step.meta, step.maxRetries);
  }
  throw new Error("an exchange ends with its last step");
}

export function start(given) {
  const limits = { ...LIMITS, ...given.limits };
  checkedMeta(get(given.params, "_meta"), "/params");
  tooDeep(given.params, limits.depth, "/params", wrong);
  return { maxRetries: 10, maxPolls: 200, resultTypes: [], ...given, limits, ...COUNTS };
}

function checkedMeta(meta, at) {
  const declared = get(meta, CAPABILITIES) ?? null;
  if (declared !== null && !isMap(declared)) throw wrong(at + pointer("_meta", CAPABILITIES));
}

const wrong = (at) => new LocalError("wrong_value", at);

// The call as it was first sent, for a server that refuses its own state.
function restart({ params: { inputResponses, requestState: state, ...params }, ...call }) {
  return { ...call, ...COUNTS, params, id: randomUUID(), task: undefined };
}

export function receive(call, raw) {
  const received = taken(call, asResult(raw));
  if (!received.done && isPastLimit(received)) throw new LocalError("retry_limit", "");
  return received;
}

// What a result is to a call: done, or a pause; the bound on retries aside.
function taken(call, raw) {
  if (call.task || becomesTask(call, raw)) return receiveOfTask(call, raw);
  const type = has(raw, "resultType") ? raw.resultType : "complete";
  if (!isText(type) || !["complete", "input_required", ...call.resultTypes].includes(type)) {
    throw new RemoteError("unknown_result_type", "/resultType");
  }
  if (!isInputRequired(raw)) return { done: { done: raw, resultType: type } };
  gate(call, raw);
  tooDeep(raw, call.limits.depth);
  return { call, raw };
}

function isPastLimit({ call, raw, task }) {
  if (entriesOf({ call, raw, task }).length) return call.answered >= call.maxRetries;
  return !task && call.polls >= call.maxPolls;
}

function gate(call, raw) {
  if (!METHODS.includes(call.method)) throw new RemoteError("method_not_supported", "/resultType");
  const entries = get(raw, "inputRequests") ?? null;
  if (entries === null && (get(raw, "requestState") ?? null) === null) throw new RemoteError("nothing_requested", "");
  if (entries !== null) {
    if (!isMap(entries)) throw new RemoteError("wrong_type", "/inputRequests");
    atMost(Object.keys(entries).length, call.limits.inputRequests, "/inputRequests");
    const known = { ...call, capabilities: declaredBy(call) };
    for (const [key, entry] of Object.entries(entries)) for (const fault of gateFaults(known, key, entry)) throw fault;
  }
  atMost(requestState(raw)?.length ?? 0, call.limits.requestState, "/requestState");
}

// Stored as text, and read back for the server that was named, or for none.
function restored(pause, { server, cut, sorted }) {
  const text = JSON.stringify(sorted ? inOrder(pause) : pause);
  let found;
  try {
    found = JSON.parse(cut ? text.slice(0, text.length >> 1) : text);
  } catch {
    throw new LocalError("stored_pause_invalid", "");
  }
  if (found.call.server !== server) throw new LocalError("wrong_server", "");
  return taken(found.call, found.raw);
}

// What a store gives back that keeps the members of an object sorted.
function inOrder(value) {
  if (Array.isArray(value)) return value.map(inOrder);
  return isMap(value) ? Object.fromEntries(Object.keys(value).sort().map((name) => [name, inOrder(value[name])])) : value;
}

// The id of each elicitation, bound to the pause and to its key.
function idsOf(pause, asked) {
  const { call, raw, task } = pause;
  const elicited = Object.keys(asked).filter((key) => asked[key].method === ELICIT);
  if (task) return Object.fromEntries(elicited.map((key) => [key, `elc-${call.id}-${task.since}-${digestOf(pause, key)}`]));
  const { inputResponses, requestState: state, _meta, ...params } = call.params;
  const whole = digest(call.id, [call.server ?? null, call.method, params, raw]);
  const idOf = (key) => `elc-${call.id}-${call.retry}-${digest(call.id, [whole, key]).slice(0, 16)}`;
  return Object.fromEntries(elicited.map((key) => [key, idOf(key)]));
}

const askedBy = (pause) => inputRequests(pause.task ? { inputRequests: entriesOfTask(pause) } : pause.raw);

const entriesOf = (pause) => Object.values((pause.task ? entriesOfTask(pause) : get(pause.raw, "inputRequests")) ?? {});

// Whether something is asked that was not asked last, whatever its key.
function isNew(pause) {
  const last = new Set(pause.call.asked.map(canonical));
  return entriesOf(pause).some((entry) => !last.has(canonical(entry)));
}

const delayOf = (pause) =>
  pause.task ? delayOfTask(pause) : (isNew(pause) ? 0 : Math.min(50 * 2 ** pause.call.idle, 5000));

function resume(pause, answers, meta, maxRetries) {
  const { raw } = pause;
  const call = maxRetries === undefined ? pause.call : { ...pause.call, maxRetries, answered: 0, polls: 0 };
  const asked = askedBy(pause);
  const ids = idsOf(pause, asked);
  const given = Array.isArray(answers) ? byKey(answers, ids) : answers;
  sameKeys(given, asked);
  const errors = [];
  const responses = mapValues(asked, (request, key) => {
    const value = responseTo(key, given[key], request, ids[key], raw.inputRequests[key]);
    if (value.errors) errors.push(...value.errors);
    return value;
  });
  if (errors.length) throw new InvalidAnswer(errors);
  const { inputResponses, requestState: old, ...params } = call.params;
  if (meta !== undefined) {
    checkedMeta(meta, "");
    tooDeep(meta, call.limits.depth, "/_meta", wrong);
    params._meta = meta;
  }
  if (Object.keys(responses).length) params.inputResponses = responses;
  const entries = entriesOf(pause);
  if (pause.task) {
    const next = { ...call, params, retry: call.retry + 1, answered: call.answered + (entries.length ? 1 : 0) };
    if (!declaresTasks(declaredBy(next))) throw new LocalError("wrong_value", pointer("_meta", CAPABILITIES));
    return { ...next, task: answeredTask(pause) };
  }
  const state = requestState(raw);
  if (state !== null) params.requestState = state;
  return {
    ...call,
    params,
    retry: call.retry + 1,
    answered: call.answered + (entries.length ? 1 : 0),
    polls: entries.length ? 0 : call.polls + 1,
    idle: isNew(pause) ? 0 : call.idle + 1,
    asked: entries.length ? entries : call.asked,
  };
}

// A question that was asked again has `.2`, `.3` and so on behind its id.
const firstAsked = (id) => String(id).replace(/\.([2-9]|[1-9][0-9]+)$/, "");

// The id of a question of an exchange, with whatever behind it.
const isMinted = (id) => isText(id) && /^elc-.*-[0-9]+-[0-9a-f]{16}/s.test(id);

function byKey(answers, ids) {
  const keys = new Map(Object.entries(ids).map(([key, id]) => [id, key]));
  const found = new Map();
  answers.forEach((answer, place) => {
    const key = keys.get(firstAsked(answer.id));
    if (key === undefined) throw new LocalError("answer_id_mismatch", `/${place}/id`);
    if (found.has(key)) throw new LocalError("unexpected_answer", `/${place}`);
    found.set(key, answer);
  });
  return Object.fromEntries(found);
}

function responseTo(key, answer, request, id, entry) {
  const at = pointer(key);
  // An id that was minted for another question belongs to that one.
  if (isMinted(answer.id) && firstAsked(answer.id) !== id)
    throw new LocalError("answer_id_mismatch", at + "/id");
  if (![ELICIT, SAMPLE, ROOTS].includes(request.method)) {
    if (has(answer, "ok")) throw new LocalError("answer_kind_mismatch", at);
    return answer;
  }
  const kinds = Object.keys(KINDS).filter((name) => has(answer, name));
  // What has none of these members may answer anything; what it lacks is said below.
  if (kinds.length && !kinds.some((name) => KINDS[name] === request.method))
    throw new LocalError("answer_kind_mismatch", at);
  const isElicited = request.method === ELICIT;
  const isHosts = isElicited && has(answer, "ok") && !has(answer, "action");
  const isWire = has(answer, "action") && !["ok", "data", "reason"].some((name) => has(answer, name));
  if (isElicited && !isHosts && !isWire) throw new LocalError("wrong_value", at + "/action");
  const result = isHosts ? converted(answer, request, at) : answer;
  if (isElicited && result.action === "accept" && get(request.params, "mode") !== "url") {
    if (!isMap(result.content ?? {})) throw new LocalError("wrong_value", at + "/content");
    const errors = fitting(
      result.content ?? {},
      request,
      `${pointer("inputRequests", key)}${elicitationOf(entry).inside}/requestedSchema`,
    );
    if (errors.length) return { errors: errors.map(({ code, at: place }) => ({ code, at: at + place })) };
  }
  const value = written(key, result, request, request.method);
  if (isHosts) return value;
  // As a whole it is sent as it is: null would be sent, too.
  if (get(result, "stopReason") === null) throw wrong(at + "/stopReason");
  const unnamed = request.method === ROOTS ? result.roots.findIndex((root) => root.name === null) : -1;
  if (unnamed >= 0) throw wrong(`${at}/roots/${unnamed}/name`);
  // What is in the wire's own shape is kept whole, but for an envelope, and for what stands beside a refusal or a visit.
  const { id: _, jsonrpc, method, resultType, ...rest } = answer;
  if (!isElicited) return rest;
  if (has(value, "content")) return { ...rest, ...value };
  return has(rest, "_meta") ? { ...value, _meta: rest._meta } : value;
}

function converted(answer, request, at) {
  try {
    return answerToElicitResult(answer, { kind: get(request.params, "mode") === "url" ? "authorization" : "input" });
  } catch (error) {
    throw error instanceof MrtrError ? new LocalError(error.code, at + error.at) : error;
  }
}

function fitting(content, request, at) {
  let form;
  try {
    form = new Form(request.params.requestedSchema);
  } catch (error) {
    throw error instanceof MrtrError ? new RemoteError(error.code, at + error.at) : error;
  }
  return form.check(content);
}
