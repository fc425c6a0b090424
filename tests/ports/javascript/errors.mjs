// The two kinds of errors, JSON Pointers, and what JSON calls a value.

export class MrtrError extends Error {
  constructor(code, at, sentence = code) {
    super(sentence);
    this.code = code;
    this.at = at;
  }
}

export class RemoteError extends MrtrError {}
export class LocalError extends MrtrError {}

export const pointer = (...tokens) =>
  tokens.map((token) => "/" + String(token).replaceAll("~", "~0").replaceAll("/", "~1")).join("");

export const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const isText = (value) => typeof value === "string";
export const isNumber = (value) => typeof value === "number";
export const has = (map, name) => isMap(map) && Object.hasOwn(map, name);

// A member that is the map's own: `__proto__` and `toString` are keys like any other.
export const get = (map, name) => (has(map, name) ? map[name] : undefined);

export const mapValues = (map, change) =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));

export const pick = (map, names) =>
  Object.fromEntries(names.filter((name) => has(map, name)).map((name) => [name, map[name]]));
