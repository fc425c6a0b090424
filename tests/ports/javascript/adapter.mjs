// One JSON line in, one JSON line out: `{operation, input}` to `{expect}` or `{error: {code, at}}`.

import { createInterface } from "node:readline";

import { answerToElicitResult, elicitationToRequest } from "./bridge.mjs";
import { MrtrError } from "./errors.mjs";
import { exchange } from "./exchange.mjs";
import { Form } from "./forms.mjs";
import { lint } from "./lint.mjs";
import { requestMeta } from "./outgoing.mjs";
import { inputRequests, isInputRequired, requestState, requests } from "./reader.mjs";
import { parse, toStrings } from "./parsing.mjs";
import { printable } from "./text.mjs";
import { inspectUrl } from "./urls.mjs";
import { toInputResponse, toInputResponses } from "./writer.mjs";

const asked = (entries) => (entries === undefined ? undefined : inputRequests({ inputRequests: entries }));

const OPERATIONS = {
  is_input_required: ({ raw }) => isInputRequired(raw),
  request_state: ({ raw }) => requestState(raw),
  requests: ({ raw }) => requests(raw),
  input_requests: ({ raw }) => inputRequests(raw),
  to_input_response: ({ key, result, request }) =>
    toInputResponse(key, result, request === undefined ? undefined : asked(Object.fromEntries([[key, request]]))[key]),
  to_input_responses: ({ results, requests }) => toInputResponses(results, asked(requests)),
  elicitation_to_request: ({ params, id }) => elicitationToRequest(params, id),
  answer_to_elicit_result: ({ answer, request }) => answerToElicitResult(answer, request),
  request_meta: requestMeta,
  exchange,
  form_check: ({ schema, content }) => new Form(schema).check(content),
  form_fields: ({ schema, message }) => {
    const form = new Form(schema, message);
    const { title, description, unenforced } = form;
    const fields = form.shown();
    const answerable = !fields.some(({ kind, required }) => required && kind === "unsupported");
    return { title, description, fields, unenforced, answerable };
  },
  form_defaults: ({ schema }) => new Form(schema).defaults(),
  form_parse: ({ schema, strings, prefilled, timezone }) => parse(new Form(schema), strings, prefilled, timezone),
  form_to_strings: ({ schema, content }) => toStrings(new Form(schema), content),
  lint,
  inspect_url: ({ url }) => inspectUrl(url),
  printable: ({ text }) => printable(text),
};

function outcome({ operation, input }) {
  try {
    return { expect: OPERATIONS[operation](input) };
  } catch (error) {
    if (!(error instanceof MrtrError)) throw error;
    return { error: { code: error.code, at: error.at } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(outcome(JSON.parse(line))) + "\n");
}
