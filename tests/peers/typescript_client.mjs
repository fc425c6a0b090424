// The client of the TypeScript SDK, as it comes: calls every tool of the adversary, its user answering as the tool says.
// The environment variable PEERS_NODE names the folder that holds node_modules.

import { createRequire } from "node:module";

const sdk = createRequire(`${process.env.PEERS_NODE}/`)("@modelcontextprotocol/client");

let host = {};

// Finds the answer of the key that the message names; where there is nobody, nobody accepts.
function answer({ params }) {
  const found = Object.entries(host).find(([key]) => params.message === `What is ${JSON.stringify(key)}?`);
  return found?.[1] ?? { action: "cancel" };
}

// A call that fails is over.
async function over(call) {
  await call.catch(() => undefined);
}

const client = new sdk.Client(
  { name: "typescript-client", version: "1" },
  { capabilities: { elicitation: { form: {}, url: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
);
client.setRequestHandler("elicitation/create", answer);
await client.connect(new sdk.StreamableHTTPClientTransport(new URL(process.argv.at(-1))));
for (const { name, _meta } of (await client.listTools()).tools) {
  host = _meta.host;
  await over(client.callTool({ name, arguments: _meta.arguments }));
}
await over(client.listPrompts());
await client.close();
