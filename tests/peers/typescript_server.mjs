// A server on the TypeScript SDK: it asks what script.json says and gives back all that it was told.
// Its state is what it heard so far, behind characters that are easily broken; it refuses a state that is not intact.
// The environment variable PEERS_NODE names the folder that holds node_modules.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { Tasks, TASKS } from "./typescript_tasks.mjs";

const home = process.env.PEERS_NODE;
const require = createRequire(`${home}/`);
const sdk = require("@modelcontextprotocol/server");
const { serveStdio } = require("@modelcontextprotocol/server/stdio");
const { toNodeHandler } = require("@modelcontextprotocol/node");
const { version } = JSON.parse(readFileSync(`${home}/node_modules/@modelcontextprotocol/server/package.json`, "utf8"));

const script = JSON.parse(readFileSync(new URL("script.json", import.meta.url), "utf8"));
const { values: options } = parseArgs({
  options: { stdio: { type: "boolean" }, streamed: { type: "boolean" }, sealed: { type: "string" } },
});
const codec = options.sealed && sdk.createRequestStateCodec({ key: options.sealed });
const tasks = new Tasks(sdk);

function heardSoFar({ requestState: state, inputResponses }) {
  if (state !== undefined && !state.startsWith(script.state)) {
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, "the state is not what was sent");
  }
  const heard = state === undefined ? [] : JSON.parse(state.slice(script.state.length));
  if (state !== undefined || inputResponses !== undefined) {
    heard.push(inputResponses ?? null);
  }
  return heard;
}

// Gives the next round of a script or, with all that was heard, what `complete` makes of it.
function play(method, name, told, complete) {
  const rounds = script[method][name];
  const heard = heardSoFar(told);
  if (heard.length === rounds.length) {
    return complete(JSON.stringify(heard));
  }
  const asked = { resultType: "input_required" };
  if (Object.keys(rounds[heard.length]).length > 0) {
    asked.inputRequests = rounds[heard.length];
  }
  if (!script.stateless.includes(name)) {
    asked.requestState = script.state + JSON.stringify(heard);
  }
  return asked;
}

// Plays the script of a tool, as a plain call and as a task alike.
function callTool(name, told) {
  return play("tools/call", name, told, (text) => {
    const { error, isError = false } = script.tasks[name] ?? {};
    if (error) {
      throw new sdk.ProtocolError(error.code, error.message, error.data);
    }
    return { content: [{ type: "text", text }], isError };
  });
}

async function seal(result) {
  return codec && result.requestState ? { ...result, requestState: await codec.mint(result.requestState) } : result;
}

function toldBy({ mcpReq }) {
  return { requestState: mcpReq.requestState(), inputResponses: mcpReq.inputResponses };
}

function makeServer() {
  const capabilities = { tools: {}, prompts: {}, resources: {}, extensions: { [TASKS]: {} } };
  const requestState = codec && { verify: codec.verify };
  const server = new sdk.Server({ name: "typescript-server", version }, { capabilities, requestState });
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(script["tools/call"]).map((name) => ({ name, inputSchema: { type: "object" } })),
  }));
  server.setRequestHandler("tools/call", ({ params: { name } }, context) => {
    const told = toldBy(context);
    const plan = script.tasks[name];
    if (plan && heardSoFar(told).length >= (plan.pauses ?? 0) && tasks.mayStart(plan, context)) {
      return tasks.start(plan, told, (told) => callTool(name, told));
    }
    return seal(callTool(name, told));
  });
  tasks.register(server);
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    seal(
      play("prompts/get", params.name, toldBy(context), (text) => ({
        messages: [{ role: "user", content: { type: "text", text } }],
      })),
    ),
  );
  server.setRequestHandler("resources/read", ({ params }, context) =>
    seal(
      play("resources/read", params.uri, toldBy(context), (text) => ({ contents: [{ uri: params.uri, text }] })),
    ),
  );
  return server;
}

if (options.stdio) {
  serveStdio(makeServer);
} else {
  const handler = sdk.createMcpHandler(makeServer, { responseMode: options.streamed ? "sse" : "auto" });
  const http = createServer(toNodeHandler(handler));
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
