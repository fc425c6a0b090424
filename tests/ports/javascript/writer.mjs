// Typed to raw: one entry of `inputResponses`, or all of them.

import { LocalError, MrtrError, get, has, isMap, isNumber, isText, mapValues, pick, pointer } from "./errors.mjs";
import { FORMATS } from "./formats.mjs";
import { Form } from "./forms.mjs";
import { ELICIT, ROOTS, SAMPLE } from "./reader.mjs";
import { contentFaults } from "./sampling.mjs";

const ACTIONS = ["accept", "decline", "cancel"];

export const toInputResponse = (key, result, request) => ({ ...one(key, written(key, result, request)) });

export function toInputResponses(results, requests) {
  if (requests !== undefined) sameKeys(results, requests);
  let invalid = null;
  const values = mapValues(results, (result, key) => {
    try {
      return written(key, result, requests === undefined ? undefined : requests[key]);
    } catch (error) {
      // What is wrong with a form comes after what is wrong with any answer.
      if (error.code !== "invalid_answer") throw error;
      invalid ??= error;
    }
  });
  if (invalid) throw invalid;
  return values;
}

export function sameKeys(answers, asked) {
  // A mistyped key is named before the one that it leaves open.
  for (const key of Object.keys(answers)) if (!has(asked, key)) throw new LocalError("unexpected_answer", pointer(key));
  for (const key of Object.keys(asked)) if (!has(answers, key)) throw new LocalError("missing_answer", pointer(key));
}

const one = (key, value) => Object.fromEntries([[key, value]]);

const kindOf = (result) => (has(result, "action") ? ELICIT : has(result, "role") ? SAMPLE : ROOTS);

export function written(key, result, request, kind = kindOf(result)) {
  const at = pointer(key);
  if (request !== undefined && request.method !== kind) throw new LocalError("answer_kind_mismatch", at);
  if (kind === ELICIT) return elicited(result, request?.params, at);
  return kind === SAMPLE ? sampled(result, at) : rooted(result, at);
}

function elicited(result, params, at) {
  const { action } = result;
  if (!ACTIONS.includes(action)) throw wrong(at + "/action");
  if (action !== "accept" || get(params, "mode") === "url") return { action };
  const content = get(result, "content") ?? undefined;
  if (content === undefined) return params === undefined ? { action } : { action, content: {} };
  if (!isMap(content)) throw wrong(at + "/content");
  return { action, content: sent(content, params, at + "/content") };
}

function sent(content, params, at) {
  // A form that cannot be checked says of no null that it is no answer.
  const hasNull = Object.values(content).includes(null);
  const required = hasNull && params !== undefined ? requiredOf(get(params, "requestedSchema")) : null;
  const entries = Object.entries(content).filter(([, value]) => value !== null || required === null);
  for (const [name, value] of entries) {
    const isList = Array.isArray(value) && value.every(isText);
    if (!isText(value) && !isNumber(value) && typeof value !== "boolean" && !isList) {
      const place = Array.isArray(value)
        ? pointer(
            name,
            value.findIndex((item) => !isText(item)),
          )
        : pointer(name);
      throw wrong(at + place);
    }
  }
  const open = Object.keys(content).find((name) => content[name] === null && required?.includes(name));
  if (open !== undefined) throw new LocalError("invalid_answer", at.replace(/\/content$/, "") + pointer(open));
  return Object.fromEntries(entries);
}

function requiredOf(schema) {
  try {
    return new Form(schema).required;
  } catch (error) {
    if (error instanceof MrtrError) return null;
    throw error;
  }
}

function sampled(result, at) {
  if (result.role !== "user" && result.role !== "assistant") throw wrong(at + "/role");
  const content = get(result, "content");
  if (Array.isArray(content) && !content.length) throw wrong(at + "/content");
  for (const { at: place } of contentFaults(content, at + "/content")) throw wrong(place);
  if (!isText(result.model)) throw wrong(at + "/model");
  if ((get(result, "stopReason") ?? null) !== null && !isText(result.stopReason)) throw wrong(at + "/stopReason");
  return pick(result, ["role", "content", "model", ...(result.stopReason === null ? [] : ["stopReason"])]);
}

function rooted(result, at) {
  if (!Array.isArray(result.roots)) throw wrong(at + "/roots");
  const roots = result.roots.map((root, place) => {
    const where = `${at}/roots/${place}`;
    if (!isText(get(root, "uri")) || !root.uri.startsWith("file://") || !FORMATS.uri(root.uri)) throw wrong(where + "/uri");
    if ((get(root, "name") ?? null) !== null && !isText(root.name)) throw wrong(where + "/name");
    return pick(root, root.name === null ? ["uri"] : ["uri", "name"]);
  });
  return { roots };
}

const wrong = (at) => new LocalError("wrong_value", at);
