// Tasks (SEP-2663) on the TypeScript SDK, which has none: the three methods, and calls of tools that go on as tasks.
// An answer takes effect with its acknowledgement.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

export const TASKS = "io.modelcontextprotocol/tasks";

// A call of a tool that goes on after its request was answered.
class Task {
  constructor({ seconds = 0, ttlMs = 60000 }) {
    const now = new Date().toISOString();
    this.about = { taskId: randomUUID(), createdAt: now, lastUpdatedAt: now, ttlMs, pollIntervalMs: 50 };
    this.state = { status: "working" };
    this.seconds = seconds;
    this.end = new AbortController();
  }

  async run(told, call) {
    try {
      for (;;) {
        await sleep(this.seconds * 1000, undefined, { signal: this.end.signal });
        const { inputRequests, requestState, ...result } = call(told);
        if (inputRequests === undefined) {
          this.state = { status: "completed", result };
          return;
        }
        told = { requestState, inputResponses: await this.ask(inputRequests) };
      }
    } catch ({ code, message, data }) {
      const failed = { status: "failed", statusMessage: message, error: { code, message, data } };
      this.state = this.end.signal.aborted ? { status: "cancelled" } : failed;
    }
  }

  ask(inputRequests) {
    const answers = {};
    this.state = { status: "input_required", inputRequests: { ...inputRequests } };
    return new Promise((resolve, reject) => {
      this.end.signal.addEventListener("abort", reject);
      this.answer = (responses) => {
        for (const key of Object.keys(responses).filter((key) => Object.hasOwn(inputRequests, key))) {
          answers[key] = responses[key];
          delete this.state.inputRequests?.[key];
        }
        if (Object.keys(this.state.inputRequests ?? {}).length === 0) {
          this.state = { status: "working" };
          resolve(answers);
        }
      };
    });
  }
}

export class Tasks {
  constructor(sdk) {
    this.sdk = sdk;
    this.tasks = new Map();
  }

  register(server) {
    const properties = { taskId: { type: "string" } };
    const params = this.sdk.fromJsonSchema({ type: "object", properties, required: ["taskId"] });
    server.setRequestHandler("tasks/get", { params }, ({ taskId }, context) => {
      const { about, state } = this.find(taskId, context);
      return { ...about, ...state };
    });
    server.setRequestHandler("tasks/update", { params }, ({ taskId }, context) => {
      this.find(taskId, context).answer?.(context.mcpReq.inputResponses ?? {});
      return {};
    });
    server.setRequestHandler("tasks/cancel", { params }, ({ taskId }, context) => {
      this.find(taskId, context).end.abort();
      return {};
    });
  }

  // Says whether a tool becomes a task for this client, or refuses the call where it is a task or nothing.
  mayStart({ declared }, context) {
    if (declared === "required") {
      this.require(context);
    }
    return declared === "ignored" || isDeclared(context);
  }

  async start(plan, told, call) {
    const task = new Task(plan);
    this.tasks.set(task.about.taskId, task);
    const run = task.run(told, call);
    if (plan.born === "completed") {
      await run;
    }
    return { ...task.about, resultType: "task", status: task.state.status };
  }

  find(taskId, context) {
    this.require(context);
    const task = this.tasks.get(taskId);
    if (task === undefined) {
      throw new this.sdk.ProtocolError(this.sdk.ProtocolErrorCode.InvalidParams, "there is no such task");
    }
    return task;
  }

  require(context) {
    if (!isDeclared(context)) {
      throw new this.sdk.MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
    }
  }
}

function isDeclared({ mcpReq }) {
  return mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"]?.extensions?.[TASKS] !== undefined;
}
