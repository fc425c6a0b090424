// What a terminal would obey or hide, made visible.

const SELECTORS = "\\u180b-\\u180d\\u180f\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}";

// The blocks of characters that can take a variation selector.
const TAKES_SELECTOR =
  "#*0-9\\xa9\\xae\\u1000-\\u109f\\u203c\\u2049\\u2100-\\u27ff\\u2900-\\u2bff\\u3001-\\u303f\\u3200-\\u9fff\\ua840-\\ua87f\\ua9e0-\\ua9ff\\uaa60-\\uaa7f\\uf900-\\ufaff\\uff01-\\uff60\\u{10ac0}-\\u{10aff}\\u{13000}-\\u{1345f}\\u{1f000}-\\u{1faff}\\u{20000}-\\u{3ffff}";

const INVISIBLE = new RegExp(
  "[\\0-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ud800-\\udfff\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]" +
    `|(?<![${TAKES_SELECTOR}])[\\ufe00-\\ufe0f]|[\\ufe00-\\ufe0f](?=[${SELECTORS}])`,
  "gu",
);

// The characters that count as white space; those of JavaScript are others.
export const WHITE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const ENDS = new RegExp(`^[${WHITE}]+|(?<![${WHITE}])[${WHITE}]+$`, "g");

export const strip = (text) => text.replace(ENDS, "");

const SHORT = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

export const printable = (text) =>
  text.replace(INVISIBLE, (character) => {
    const point = character.codePointAt(0);
    const digits = point.toString(16);
    if (SHORT[character]) return SHORT[character];
    if (point < 0x100) return "\\x" + digits.padStart(2, "0");
    return point < 0x10000 ? "\\u" + digits.padStart(4, "0") : "\\U" + digits.padStart(8, "0");
  });
