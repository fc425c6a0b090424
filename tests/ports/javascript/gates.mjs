// What keeps a result from being taken up beyond its shape: what was not declared, the limits of a call.

import { RemoteError, get, has, isMap, isText, pointer } from "./errors.mjs";
import { CAPABILITIES } from "./outgoing.mjs";
import { ELICIT, ROOTS, SAMPLE, elicitationOf, entryFaults, isFlat, urlFaults } from "./reader.mjs";

export const LIMITS = { inputRequests: 100, key: 256, message: 65536, requestState: 1048576, depth: 64 };

export const declaredBy = (call) => call.capabilities ?? get(get(call.params, "_meta"), CAPABILITIES) ?? undefined;

// What keeps one entry from being taken up: its shape, what was not declared, its url, the limits, in this order.
export function* gateFaults({ capabilities, limits = LIMITS }, key, entry) {
  const at = pointer("inputRequests", key);
  yield* entryFaults(entry, at);
  if (capabilities !== undefined && isMap(entry)) yield* undeclared(capabilities, entry, at);
  yield* urlFaults(entry, at);
  const tooLong = (text, limit) => isText(text) && [...text].length > limit;
  if (tooLong(key, limits.key)) yield new RemoteError("too_large", at);
  const { params, inside } = elicitationOf(entry) ?? {};
  if (tooLong(get(params, "message"), limits.message)) yield new RemoteError("too_large", `${at}${inside}/message`);
}

function* undeclared(declared, entry, at) {
  const method = isFlat(entry) ? ELICIT : get(entry, "method");
  const name = { [ELICIT]: "elicitation", [SAMPLE]: "sampling", [ROOTS]: "roots" }[method];
  if (name === undefined) return;
  const capability = get(declared, name) ?? null;
  if (capability === null) return yield new RemoteError("undeclared_capability", at);
  if (method === ELICIT) {
    const asked = elicitationOf(entry);
    if (asked === null) return;
    const { params, inside } = asked;
    const modes = ["form", "url"].filter((mode) => (get(capability, mode) ?? null) !== null);
    const mode = has(params, "mode") ? params.mode : "form";
    // Without a mode it is forms that were declared.
    if (["form", "url"].includes(mode) && !(modes.length ? modes : ["form"]).includes(mode)) {
      yield new RemoteError("undeclared_capability", `${at}${inside}/mode`);
    }
  }
  if (method === SAMPLE && (get(capability, "tools") ?? null) === null) {
    for (const member of ["tools", "toolChoice"]) {
      if ((get(get(entry, "params"), member) ?? null) !== null)
        yield new RemoteError("undeclared_capability", `${at}/params/${member}`);
    }
  }
}

export function atMost(size, limit, at) {
  if (size > limit) throw new RemoteError("too_large", at);
}

export function tooDeep(value, depth, root = "", fault = (at) => new RemoteError("too_large", at)) {
  const todo = [[value, root, 1]];
  while (todo.length) {
    const [box, at, level] = todo.pop();
    if (level > depth) throw fault(at);
    for (const [name, item] of Object.entries(box))
      if (typeof item === "object" && item !== null) todo.push([item, at + pointer(name), level + 1]);
  }
}
