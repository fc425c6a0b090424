// The client of the TypeScript SDK with @modelcontextprotocol/ext-tasks, as they come: calls every tool of the adversary
// and follows its tasks. The package leaves the sending of these requests to its user: here it is a POST by fetch.
// The environment variable PEERS_NODE names the folder that holds node_modules.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.PEERS_NODE}/`);
const sdk = require("@modelcontextprotocol/client");
const tasks = await import(
  pathToFileURL(`${process.env.PEERS_NODE}/node_modules/@modelcontextprotocol/ext-tasks/dist/client/index.js`)
);

const url = process.argv.at(-1);
const protocolVersion = "2026-07-28";
const clientInfo = { name: "ext-tasks-client", version: "1" };
const clientCapabilities = { elicitation: { form: {}, url: {} } };

// Seconds for one call: the client goes on for as long as a task asks.
const DEADLINE = 10;

let host = {};
let lastId = 1000;

// Finds the answer of the key that the message names; where there is nobody, the handler fails.
function answer({ params }) {
  const found = Object.entries(host).find(([key]) => params.message === `What is ${JSON.stringify(key)}?`);
  if (!found?.[1]) throw new Error("expected somebody to ask");
  return found[1];
}

// Writes what a header cannot carry in base64, as the transport over HTTP has it.
function encode([name, value]) {
  return [name, /^[ -~]*$/.test(value) ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`];
}

async function post(request, { signal, context } = {}) {
  const id = ++lastId;
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": protocolVersion,
    "Mcp-Method": request.method,
    ...Object.fromEntries(Object.entries(context?.headers ?? {}).map(encode)),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id, ...request });
  const response = await (await fetch(url, { method: "POST", headers, body, signal })).json();
  return response.error ? { kind: "error", error: response.error } : { kind: "result", result: response.result };
}

const client = new sdk.Client(clientInfo, {
  capabilities: clientCapabilities,
  versionNegotiation: { mode: { pin: protocolVersion } },
});
await client.connect(new sdk.StreamableHTTPClientTransport(new URL(url)));
const session = tasks.createTaskSessionFromClient(client, {
  endpointId: "adversary",
  rawDispatch: post,
  v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities },
  onInputRequest: async (request) => answer(request),
  // Else every error of a handler is printed, again at each poll.
  onError: () => undefined,
});
for (const { name, _meta } of (await client.listTools()).tools) {
  host = _meta.host;
  const signal = AbortSignal.timeout(DEADLINE * 1000);
  try {
    await (await session.callTool(name, _meta.arguments, { signal })).settle({ signal });
  } catch {
    // A call that fails is over.
  }
}
await client.listPrompts().catch(() => undefined);
await session.close();
await client.close();
