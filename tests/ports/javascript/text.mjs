// What a terminal would obey or hide, made visible.

const INVISIBLE =
  /[\0-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const SHORT = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

export const printable = (text) =>
  text.replace(INVISIBLE, (character) => {
    const point = character.codePointAt(0);
    const digits = point.toString(16);
    if (SHORT[character]) return SHORT[character];
    if (point < 0x100) return "\\x" + digits.padStart(2, "0");
    return point < 0x10000 ? "\\u" + digits.padStart(4, "0") : "\\U" + digits.padStart(8, "0");
  });
