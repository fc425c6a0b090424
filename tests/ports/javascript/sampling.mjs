// What a message of sampling must hold: those of a request, and the one that answers it.

import { get, has, isMap, isText } from "./errors.mjs";

const TYPES = { text: isText, object: isMap, array: Array.isArray };
const MEMBERS = {
  text: { text: "text" },
  image: { data: "text", mimeType: "text" },
  audio: { data: "text", mimeType: "text" },
  tool_use: { id: "text", name: "text", input: "object" },
  tool_result: { toolUseId: "text", content: "array" },
  resource_link: { uri: "text", name: "text" },
  resource: { resource: "object" },
};

const error = (code, at) => ({ code, at, severity: "error" });
const isRole = (role) => role === "user" || role === "assistant";
const isOf = (block, kind) => get(block, "type") === kind;

export function* messageFindings(messages, at) {
  for (const [place, message] of messages.entries()) {
    const here = `${at}/${place}`;
    if (!isMap(message)) {
      yield error("bad_message", here);
      continue;
    }
    const role = get(message, "role");
    if (!isRole(role)) yield error("bad_role", here + "/role");
    yield* contentFaults(get(message, "content"), here + "/content");
    const blocks = blocksOf(message);
    const inside = (found) => `${here}/content${found}`;
    for (const [kind, right] of [
      ["tool_use", "assistant"],
      ["tool_result", "user"],
    ]) {
      for (const [found, block] of blocks)
        if (isOf(block, kind) && isRole(role) && role !== right) yield error("tool_role", inside(found));
    }
    const results = blocks.filter(([, block]) => isOf(block, "tool_result")).length;
    if (results && results < blocks.length) yield error("mixed_tool_results", here + "/content");
    for (const found of alone(usesOf(message), resultsOf(messages[place + 1])))
      yield error("unanswered_tool_use", inside(found));
    for (const found of alone(resultsOf(message), usesOf(messages[place - 1])))
      yield error("unmatched_tool_result", inside(found));
  }
}

export function* contentFaults(content, at) {
  if (!isMap(content) && !Array.isArray(content)) yield error("bad_content", at);
  for (const [place, block] of blocksOf({ content })) yield* blockFaults(block, at + place);
}

function* blockFaults(block, at, isNested = false) {
  if (!isMap(block)) return yield error("bad_content", at);
  yield* memberFaults(block, { type: "text" }, at);
  yield* memberFaults(block, get(MEMBERS, block.type) ?? {}, at);
  const { resource, content } = block;
  if (isOf(block, "resource") && isMap(resource)) {
    yield* memberFaults(resource, { uri: "text" }, at + "/resource");
    if (!isText(get(resource, "text")) && !isText(get(resource, "blob"))) yield error("bad_content", at + "/resource");
  }
  if (!isOf(block, "tool_result") || !Array.isArray(content) || isNested) return;
  for (const [place, item] of content.entries()) yield* blockFaults(item, `${at}/content/${place}`, true);
}

function* memberFaults(holder, members, at) {
  for (const [name, type] of Object.entries(members))
    if (!has(holder, name) || !TYPES[type](holder[name])) yield error("bad_content", `${at}/${name}`);
}

function blocksOf(message) {
  const content = get(message, "content");
  if (isMap(content)) return [["", content]];
  return Array.isArray(content) ? content.map((block, place) => ["/" + place, block]) : [];
}

const idsOf = (message, kind, name) =>
  blocksOf(message)
    .filter(([, block]) => isOf(block, kind) && isText(get(block, name)))
    .map(([place, block]) => [place, block[name]]);

const usesOf = (message) => idsOf(message, "tool_use", "id");
const resultsOf = (message) => idsOf(message, "tool_result", "toolUseId");

// The places of ours that have no partner among theirs, each of which serves once.
function* alone(ours, theirs) {
  const left = new Map();
  for (const [, id] of theirs) left.set(id, (left.get(id) ?? 0) + 1);
  for (const [place, id] of ours) {
    const count = left.get(id) ?? 0;
    if (count) left.set(id, count - 1);
    else yield place;
  }
}
