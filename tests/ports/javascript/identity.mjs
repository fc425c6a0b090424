// What binds the id of a question to what was asked: a keyed digest of one text that a value has in every language.

import { createHmac } from "node:crypto";

import { isMap } from "./errors.mjs";

export const digest = (id, value) => createHmac("sha256", utf8(id)).update(canonical(value), "ascii").digest("hex");

export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (isMap(value)) {
    const members = Object.keys(value).sort(byCodePoint);
    return `{${members.map((name) => `${quoted(name)}:${canonical(value[name])}`).join(",")}}`;
  }
  if (typeof value === "string") return quoted(value);
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

const quoted = (text) =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

function byCodePoint(left, right) {
  const [one, other] = [[...left], [...right]].map((characters) => characters.map((each) => each.codePointAt(0)));
  const place = one.findIndex((point, at) => point !== other[at]);
  return place < 0 ? one.length - other.length : one[place] - (other[place] ?? -1);
}

// A half of a surrogate pair that stands alone is three bytes, which no encoder of the platform writes.
export const utf8 = (text) =>
  Buffer.concat(
    [...text].map((character) => {
      const point = character.codePointAt(0);
      const isHalf = point >= 0xd800 && point <= 0xdfff;
      return isHalf
        ? Buffer.from([0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)])
        : Buffer.from(character, "utf8");
    }),
  );
