// The words by which a field asks for a secret; a guess, in English.

import { WHITE } from "./text.mjs";

const SECRET =
  /^(pass ?(word|phrase|code)s?|passwd|pwd|pin|otp|cvv|cvc|ssn|secrets?|credentials?|(api|access|secret|private) ?keys?|((access|auth|api|bearer|refresh) )?tokens?|(credit|debit) card( number)?|card number)\b(?! (counts?|limits?|budgets?|lengths?|names?|ids?|types?|expiry|usage|policy|hints?|urls?))/;
const ABOUT = /\b(max|maximum|min|minimum|number of|total|input|output|new|forgot|reset) $/;
// A no holds for its sentence, unless a word that asks stands between.
const DENIAL = /^(no|without|(never|not|t) (ask for|enter|include|paste|provide|put|send|share|type|use))\b/;
const REQUEST = /^(enter|type|paste|provide|give|but|put|send|then)\b/;

const SENTENCE_END = new RegExp(`[.!?;:]+(?:[${WHITE}]|$)|\\n`);

const spaced = (text) => (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? []).join(" ").toLowerCase();

export const asksForSecret = (...texts) =>
  texts.filter(Boolean).some((text) =>
    text
      .slice(0, 1000)
      .split(SENTENCE_END)
      .some((sentence) => isAsked(spaced(sentence))),
  );

function isAsked(words) {
  let isDenied = false;
  for (const { index } of words.matchAll(/\b[a-z0-9]/g)) {
    const rest = words.slice(index);
    if (DENIAL.test(rest)) isDenied = true;
    else if (REQUEST.test(rest) && !/\b(never|not|t) $/.test(words.slice(0, index))) isDenied = false;
    else if (SECRET.test(rest) && !isDenied && !ABOUT.test(words.slice(0, index))) return true;
  }
  return false;
}
