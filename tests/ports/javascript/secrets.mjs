// The words by which a field asks for a secret; a guess, in English.

const SECRET =
  /\b(pass ?(word|phrase|code)s?|passwd|pwd|pin|otp|cvv|cvc|ssn|secrets?|credentials?|(api|access|secret|private) ?keys?|((access|auth|api|bearer|refresh) )?tokens?|(credit|debit) card( number)?|card number)\b(?! (counts?|limits?|budgets?|lengths?|names?|ids?|types?|expiry|usage|policy|hints?|urls?))/;
const ABOUT = /\b(max|maximum|min|minimum|number of|total|input|output|new|no|not|without|never|forgot|reset) $/;

const spaced = (text) =>
  (text.slice(0, 1000).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? []).join(" ").toLowerCase();

export const asksForSecret = (...texts) =>
  texts.filter(Boolean).some((text) => {
    const words = spaced(text);
    const found = SECRET.exec(words);
    return found !== null && !ABOUT.test(words.slice(0, found.index));
  });
