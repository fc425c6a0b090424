// A call that has become a task: what is sent for it, the rules of its results, and what they ask.

import { LocalError, RemoteError, get, has, isMap, isNumber, isText, pointer } from "./errors.mjs";
import { declaredBy, gateFaults, tooDeep } from "./gates.mjs";
import { digest } from "./identity.mjs";
import { EXTENSION } from "./outgoing.mjs";
import { memberFaults } from "./reader.mjs";

export const ENDED = ["completed", "failed", "cancelled"];
export const STATUSES = ["working", "input_required", ...ENDED];
export const ACKNOWLEDGED = ["tasks/update", "tasks/cancel"];
export const TASK_METHODS = ["tasks/get", "notifications/tasks", ...ACKNOWLEDGED];

export const declaresTasks = (declared) => (get(get(declared, "extensions"), EXTENSION) ?? null) !== null;

export const becomesTask = (call, raw) =>
  get(raw, "resultType") === "task" && !call.resultTypes.includes("task") && declaresTasks(declaredBy(call));

// The method and the params to send: those of the call itself, until it has become a task.
export function sentOf({ method, params, task }) {
  if (!task) return { method, params };
  const { inputResponses, _meta } = params;
  const meta = _meta === undefined ? {} : { _meta };
  if (task.stage === "cancelling") return { method: "tasks/cancel", params: { taskId: task.id, ...meta } };
  if (inputResponses) return { method: "tasks/update", params: { taskId: task.id, inputResponses, ...meta } };
  return { method: "tasks/get", params: { taskId: task.id, ...meta } };
}

export function cancelTask({ params: { inputResponses, requestState: state, ...params }, ...call }, task = call.task) {
  if (!task) throw new LocalError("no_task", "");
  return { ...call, params, retry: call.retry + 1, task: { ...task, stage: "cancelling" } };
}

export function receiveOfTask(call, raw) {
  const { method } = sentOf(call);
  const known = { ...call, method, capabilities: declaredBy(call), taskId: call.task?.id };
  for (const fault of taskFaults(known, raw)) throw fault;
  const status = method === "tasks/get" ? raw.status : null;
  const { result } = raw;
  if (status === "completed") return { done: { done: result, resultType: get(result, "resultType") ?? "complete" } };
  if (ENDED.includes(status)) throw new LocalError(`task_${status}`, "");
  tooDeep(raw, call.limits.depth);
  const pause = { call, raw, task: taskAfter(call, raw, status) };
  if (status === "input_required")
    for (const key of Object.keys(raw.inputRequests))
      if (has(pause.task.answered, key) && pause.task.answered[key] !== digestOf(pause, key))
        throw new RemoteError("reused_key", pointer("inputRequests", key));
  return pause;
}

// The task as it is after a result; an acknowledgement says nothing of the interval.
function taskAfter({ task, retry }, raw, status) {
  const before = task ?? { id: raw.taskId, since: retry, interval: 1000, answered: {}, stage: "open" };
  const isTold = (!task || status) && isNumber(get(raw, "pollIntervalMs"));
  const interval = isTold ? Math.min(Math.max(raw.pollIntervalMs, 50), 3_600_000) : before.interval;
  return { ...before, interval, stage: before.stage === "cancelling" ? "cancelled" : before.stage };
}

// What is outstanding and was not answered yet; once the task is cancelled, nobody is asked.
export function entriesOfTask({ call, raw, task }) {
  const isAsking = sentOf(call).method === "tasks/get" && raw.status === "input_required" && task.stage === "open";
  return isAsking ? Object.fromEntries(Object.entries(raw.inputRequests).filter(([key]) => !has(task.answered, key))) : {};
}

export const delayOfTask = (pause) => {
  const { call, raw, task } = pause;
  const isAtOnce = Object.keys(entriesOfTask(pause)).length || (!call.task && ENDED.includes(raw.status));
  return isAtOnce ? 0 : Math.round(task.interval);
};

// What a request is known by, in every poll alike: its _meta does not count.
export function digestOf({ call, raw, task }, key) {
  const { _meta, ...entry } = raw.inputRequests[key];
  if (isMap(entry.params)) {
    const { _meta: inner, ...params } = entry.params;
    entry.params = params;
  }
  return digest(call.id, [call.server ?? null, task.id, key, entry]).slice(0, 16);
}

// The task once what it asked is answered.
export const answeredTask = (pause) => ({
  ...pause.task,
  answered: {
    ...pause.task.answered,
    ...Object.fromEntries(Object.keys(entriesOfTask(pause)).map((key) => [key, digestOf(pause, key)])),
  },
});

// What keeps a result from being used, of a method of a task, or of a call that becomes one.
export function* taskFaults(known, raw) {
  yield* typeFaults(known, raw);
  if (ACKNOWLEDGED.includes(known.method)) return;
  yield* identityFaults(known, raw);
  if (known.method === "tools/call") return;
  yield* statusFaults(known, raw);
  if (asks(known, raw)) {
    if (Object.keys(raw.inputRequests).length > known.limits.inputRequests)
      yield new RemoteError("too_large", "/inputRequests");
    for (const [key, entry] of Object.entries(raw.inputRequests)) yield* gateFaults(known, key, entry);
  }
}

export function* typeFaults({ method }, raw) {
  if (TASK_METHODS.includes(method)) yield* ofType(raw, ["complete"], "");
  else if (method !== "tools/call") yield new RemoteError("method_not_supported", "/resultType");
}

function* ofType(raw, known, at) {
  if (has(raw, "resultType") && !known.includes(raw.resultType))
    yield new RemoteError("unknown_result_type", at + "/resultType");
}

export function* identityFaults({ limits, taskId }, raw) {
  yield* memberFaults(raw, "taskId", isText, "");
  if (isText(get(raw, "taskId")) && taskId !== undefined && raw.taskId !== taskId)
    yield new RemoteError("wrong_task", "/taskId");
  if (!has(raw, "status")) yield new RemoteError("missing_member", "/status");
  else if (!STATUSES.includes(raw.status)) yield new RemoteError("unknown_task_status", "/status");
  for (const [name, most] of [["taskId", limits.requestState], ["statusMessage", limits.message]])
    if (isText(get(raw, name)) && [...raw[name]].length > most) yield new RemoteError("too_large", `/${name}`);
}

export function* statusFaults({ resultTypes = [] }, raw) {
  const { status } = raw;
  if (status === "input_required") yield* memberFaults(raw, "inputRequests", isMap, "");
  if (status === "completed") {
    yield* memberFaults(raw, "result", isMap, "");
    const final = ["complete", ...resultTypes].filter((type) => type !== "input_required" && type !== "task");
    yield* ofType(get(raw, "result"), final, "/result");
  }
  if (status === "failed") {
    yield* memberFaults(raw, "error", isMap, "");
    if (!isMap(get(raw, "error"))) return;
    yield* memberFaults(raw.error, "code", isNumber, "/error");
    yield* memberFaults(raw.error, "message", isText, "/error");
  }
}

export const asks = ({ method }, raw) =>
  ["tasks/get", "notifications/tasks"].includes(method) &&
  get(raw, "status") === "input_required" &&
  isMap(get(raw, "inputRequests"));
