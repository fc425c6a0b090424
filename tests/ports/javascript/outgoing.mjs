// What goes out beside the params: the declaration in `_meta`, the headers, and what a retry gives away.

import { get, isMap, isText, pointer } from "./errors.mjs";
import { utf8 } from "./identity.mjs";

export const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CLIENT = "io.modelcontextprotocol/clientInfo";
const REVISION = "2026-07-28";

// The extension by which a tool call may become a task.
export const EXTENSION = "io.modelcontextprotocol/tasks";

// The member of the params that `Mcp-Name` repeats.
const NAMES = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

export function requestMeta({ form, url, sampling, samplingTools, roots, tasks, extensions, clientInfo }) {
  const declared = {};
  if (form || url) declared.elicitation = { ...(form && { form: {} }), ...(url && { url: {} }) };
  if (sampling || samplingTools) declared.sampling = samplingTools ? { tools: {} } : {};
  if (roots) declared.roots = {};
  if (tasks || extensions !== undefined) declared.extensions = { ...(tasks && { [EXTENSION]: {} }), ...extensions };
  return { [VERSION]: REVISION, [CAPABILITIES]: declared, ...(clientInfo !== undefined && { [CLIENT]: clientInfo }) };
}

export function headersOf({ method, params }) {
  const version = get(get(params, "_meta"), VERSION);
  const name = NAMES.has(method) ? get(params, NAMES.get(method)) : undefined;
  return {
    "MCP-Protocol-Version": inHeader(isText(version) ? version : REVISION),
    "Mcp-Method": inHeader(method),
    ...(isText(name) && { "Mcp-Name": inHeader(name) }),
  };
}

function inHeader(text) {
  const looksEncoded = text.startsWith("=?base64?") && text.endsWith("?=");
  const isPlain = /^[ -~]*$/.test(text) && !/^ | $/.test(text) && !looksEncoded;
  return isPlain ? text : `=?base64?${utf8(text).toString("base64")}?=`;
}

export function disclosuresOf({ server, params, retry }) {
  const responses = retry ? (params.inputResponses ?? {}) : {};
  return Object.entries(responses).flatMap(([key, response]) =>
    [...valuesOf(response, pointer(key))].map(([at, value]) => ({ server, key, at, kind: kindOf(value) })),
  );
}

// The content of an elicitation counts value by value, every other member as a whole.
function* valuesOf(response, at) {
  for (const [name, value] of Object.entries(response)) {
    if (name === "content" && "action" in response && isMap(value)) {
      for (const [field, entered] of Object.entries(value)) yield [at + pointer(name, field), entered];
    } else yield [at + pointer(name), value];
  }
}

const kindOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
