// Raw to typed: what a paused result asks, leniently and strictly, and the state to echo.

import { LocalError, RemoteError, get, has, isMap, isNumber, isText, mapValues, pick, pointer } from "./errors.mjs";
import { inspectUrl } from "./urls.mjs";

export const ELICIT = "elicitation/create";
export const SAMPLE = "sampling/createMessage";
export const ROOTS = "roots/list";

const MEMBERS = ["mode", "message", "requestedSchema", "url"];

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
  return mapValues(entriesOf(raw), (entry, key) => (entry === null ? null : leniently(entry, pointer("inputRequests", key))));
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
  const optional = (name, isRight) => (get(params, name) ?? null) === null || need(params[name], isRight, `${at}/${name}`);
  const isUrl = get(params, "mode") === "url";
  if (isUrl) optional("url", isText);
  optional("requestedSchema", isMap);
  if (!isUrl) optional("url", isText);
  refuseUrl(params, at);
  return present(params);
}

export function strictly(entry, at) {
  need(entry, isMap, at);
  if (isFlat(entry)) return { method: ELICIT, params: strictElicitation(entry, at) };
  member(entry, "method", isText, at);
  const { method } = entry;
  if (method === ELICIT) {
    member(entry, "params", isMap, at);
    return { method, params: strictElicitation(entry.params, at + "/params") };
  }
  if (method === SAMPLE) {
    member(entry, "params", isMap, at);
    member(entry.params, "messages", Array.isArray, at + "/params");
    member(entry.params, "maxTokens", isNumber, at + "/params");
  }
  if (method === ROOTS && has(entry, "params")) need(entry.params, isMap, at + "/params");
  return (get(entry, "params") ?? null) === null ? { method } : { method, params: entry.params };
}

function strictElicitation(params, at) {
  const mode = has(params, "mode") ? params.mode : "form";
  if (mode !== "form" && mode !== "url") throw new RemoteError("unknown_mode", at + "/mode");
  member(params, "message", isText, at);
  if (mode === "url") {
    member(params, "url", isText, at);
    if ((get(params, "requestedSchema") ?? null) !== null) need(params.requestedSchema, isMap, at + "/requestedSchema");
  } else {
    member(params, "requestedSchema", isMap, at);
    if ((get(params, "url") ?? null) !== null) need(params.url, isText, at + "/url");
  }
  refuseUrl(params, at);
  return present(params);
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

const present = (params) => pick(params, MEMBERS.filter((name) => get(params, name) !== null));

function member(map, name, isRight, at) {
  if (!has(map, name)) throw new RemoteError("missing_member", `${at}/${name}`);
  need(map[name], isRight, `${at}/${name}`);
}

function need(value, isRight, at) {
  if (!isRight(value)) throw new RemoteError("wrong_type", at);
  return value;
}
