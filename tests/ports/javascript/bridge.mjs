// The two mappings between an elicitation and the host contract.

import { LocalError, RemoteError, get, isMap } from "./errors.mjs";
import { ELICIT, isFlat, leniently } from "./reader.mjs";

export function elicitationToRequest(params, id) {
  // An entry with its envelope, an entry without, or the params themselves: the last two look alike.
  if (!isFlat(params) && get(params, "method") !== ELICIT) throw new LocalError("not_an_elicitation", "");
  const asked = leniently(params, "");
  if (asked.mode === "url" && asked.url === undefined) {
    throw new RemoteError("missing_member", isFlat(params) ? "/url" : "/params/url");
  }
  const request = { id, kind: asked.mode === "url" ? "authorization" : "input", prompt: asked.message ?? "" };
  if (asked.mode === "url") return { ...request, url: asked.url };
  return asked.requestedSchema === undefined ? request : { ...request, data: { schema: asked.requestedSchema } };
}

export function answerToElicitResult(answer, request) {
  const ok = get(answer, "ok");
  if (typeof ok !== "boolean") throw new LocalError("wrong_value", "/ok");
  if (!ok) return { action: get(answer, "reason") === "declined" ? "decline" : "cancel" };
  if (request?.kind === "authorization") return { action: "accept" };
  const data = get(answer, "data") ?? {};
  if (!isMap(data)) throw new LocalError("wrong_value", "/data");
  return { action: "accept", content: data };
}
