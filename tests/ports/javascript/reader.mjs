// Raw to typed: what a paused result asks, leniently and strictly, and the state to echo.

import { LocalError, RemoteError, get, has, isMap, isNumber, isText, mapValues, pick, pointer } from "./errors.mjs";
import { inspectUrl } from "./urls.mjs";

export const ELICIT = "elicitation/create";
export const SAMPLE = "sampling/createMessage";
export const ROOTS = "roots/list";

const MEMBERS = ["mode", "message", "requestedSchema", "url", "_meta"];

export function asResult(raw) {
  if (get(raw, "jsonrpc") === "2.0" && !has(raw, "resultType") && (has(raw, "result") || has(raw, "error"))) {
    throw new LocalError("not_a_result", "");
  }
  return raw;
}

export const isInputRequired = (raw) => get(asResult(raw), "resultType") === "input_required";

export function requestState(raw) {
  const state = get(asResult(raw), "requestState") ?? null;
  if (state !== null && !isText(state)) throw new RemoteError("wrong_type", "/requestState");
  return state;
}

export function requests(raw) {
  return mapValues(entriesOf(raw), (entry, key) =>
    entry === null ? null : leniently(entry, pointer("inputRequests", key)),
  );
}

export function inputRequests(raw) {
  return mapValues(entriesOf(raw), (entry, key) => strictly(entry, pointer("inputRequests", key)));
}

export const isFlat = (entry) => !has(entry, "method") && !has(entry, "params");

// The params of an elicitation in either shape, and where they stand from the entry; nothing for any other entry.
export function elicitationOf(entry) {
  if (!isMap(entry)) return null;
  if (isFlat(entry)) return { params: entry, inside: "" };
  const params = get(entry, "params");
  return get(entry, "method") === ELICIT && isMap(params) ? { params, inside: "/params" } : null;
}

export function leniently(entry, at) {
  need(entry, isMap, at);
  if (isFlat(entry)) return lenientElicitation(entry, at);
  if (has(entry, "method")) need(entry.method, isText, at + "/method");
  if (get(entry, "method") !== ELICIT || (get(entry, "params") ?? null) === null) return {};
  need(entry.params, isMap, at + "/params");
  return lenientElicitation(entry.params, at + "/params");
}

function lenientElicitation(params, at) {
  if (has(params, "mode") && !isText(params.mode)) throw new RemoteError("unknown_mode", at + "/mode");
  if (has(params, "message")) need(params.message, isText, at + "/message");
  const optional = (name, isRight) =>
    (get(params, name) ?? null) === null || need(params[name], isRight, `${at}/${name}`);
  const isUrl = get(params, "mode") === "url";
  if (isUrl) optional("url", isText);
  optional("requestedSchema", isMap);
  if (!isUrl) optional("url", isText);
  refuseUrl(params, at);
  return present(params);
}

export function strictly(entry, at) {
  for (const fault of [...entryFaults(entry, at), ...urlFaults(entry, at)]) throw fault;
  if (isFlat(entry)) return { method: ELICIT, params: present(entry) };
  const { method } = entry;
  if (method === ELICIT) return { method, params: present(entry.params) };
  return (get(entry, "params") ?? null) === null ? { method } : { method, params: entry.params };
}

// Every fault in the shape of one entry, in order.
export function* entryFaults(entry, at) {
  if (!isMap(entry)) return yield new RemoteError("wrong_type", at);
  if (isFlat(entry)) return yield* elicitationFaults(entry, at);
  yield* memberFaults(entry, "method", isText, at);
  const { method, params } = entry;
  if (method === ELICIT || method === SAMPLE) yield* memberFaults(entry, "params", isMap, at);
  if (method === ROOTS) yield* memberFaults(entry, "params", isMap, at, false);
  if (!isMap(params)) return;
  if (method === ELICIT) yield* elicitationFaults(params, at + "/params");
  if (method === SAMPLE) {
    yield* memberFaults(params, "messages", Array.isArray, at + "/params");
    yield* memberFaults(params, "maxTokens", isNumber, at + "/params");
  }
}

export function* urlFaults(entry, at) {
  const { params, inside } = elicitationOf(entry) ?? {};
  if (get(params, "mode") === "url" && isText(get(params, "url")) && inspectUrl(params.url).refusal) {
    yield new RemoteError("unsafe_url", `${at}${inside}/url`);
  }
}

function* elicitationFaults(params, at) {
  const mode = has(params, "mode") ? params.mode : "form";
  if (mode !== "form" && mode !== "url") yield new RemoteError("unknown_mode", at + "/mode");
  yield* memberFaults(params, "message", isText, at);
  const either = (name, isRight, isNeeded) => memberFaults(params, name, isRight, at, isNeeded);
  if (mode === "url") yield* either("url", isText, true);
  yield* either("requestedSchema", isMap, mode === "form");
  if (mode !== "url") yield* either("url", isText, false);
}

// Where a member is not needed, absent and null will do.
export function* memberFaults(map, name, isRight, at, isNeeded = true) {
  if (!has(map, name)) {
    if (isNeeded) yield new RemoteError("missing_member", `${at}/${name}`);
  } else if (!isRight(map[name]) && (isNeeded || map[name] !== null)) {
    yield new RemoteError("wrong_type", `${at}/${name}`);
  }
}

function refuseUrl(params, at) {
  if (get(params, "mode") === "url" && isText(get(params, "url")) && inspectUrl(params.url).refusal) {
    throw new RemoteError("unsafe_url", at + "/url");
  }
}

function entriesOf(raw) {
  const entries = get(asResult(raw), "inputRequests") ?? {};
  return need(entries, isMap, "/inputRequests");
}

const present = (params) =>
  pick(
    params,
    MEMBERS.filter((name) => get(params, name) !== null && (name !== "_meta" || isMap(params._meta))),
  );

function need(value, isRight, at) {
  if (!isRight(value)) throw new RemoteError("wrong_type", at);
  return value;
}
