// Where a url leads: the platform's own WHATWG parser says, what it forgives is refused beforehand.

const PORTS = { http: "80", https: "443" };

export function inspectUrl(url) {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1].toLowerCase() ?? null;
  const refused = (refusal) => ({ scheme, host: null, warnings: [], refusal });
  if (url.length > 8192) return refused("too_long");
  if (!/^[!-\[\]-~]*$/.test(url) || url.includes("\n")) return refused("bad_character");
  if (!Object.hasOwn(PORTS, scheme ?? "")) return refused("bad_scheme");
  const rest = url.slice(scheme.length + 1);
  const authority = /^\/\/([^/?#]*)/.exec(rest)?.[1] ?? "";
  if (authority.includes("@")) return refused("userinfo");
  if (authority === "" || authority.startsWith(":")) return refused("no_host");
  const [, written, port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? [];
  // The parser also takes what other browsers do not, percent escapes above all.
  if (written === undefined || !/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)$/.test(written)) return refused("bad_host");
  if (port !== undefined && !/^[0-9]*$/.test(port)) return refused("bad_host");
  if (Number(port ?? "") > 65535) return refused("bad_port");
  const labels = written.replace(/\.$/, "").split(".");
  if (labels.some((label) => label.length === 0 || label.length > 63)) return refused("bad_host");
  if (written.replace(/\.$/, "").length > 253) return refused("bad_host");
  let parsed;
  try {
    // The host alone: Unicode labels are let through as they are written, but not where a number makes it an address.
    parsed = new URL(`${scheme}://${written}`);
  } catch {
    if (!/(^|\.)xn--/i.test(written) || /^(\d+|0x[\da-f]*)$/i.test(labels.at(-1))) return refused("bad_host");
  }
  const host = parsed?.hostname ?? written.toLowerCase();
  return { scheme, host, warnings: [...warningsOf(url, scheme, host, port)], refusal: null };
}

// What follows the authority of a uri; brackets in a query or a fragment are let through.
const URI =
  /^[^/]*\/\/[^/?#]*(\/([\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*)?(\?([\w.~!$&'()*+,;=:@/?[\]-]|%[0-9a-f]{2})*)?(#([\w.~!$&'()*+,;=:@/?[\]-]|%[0-9a-f]{2})*)?$/i;

function* warningsOf(url, scheme, host, port) {
  const name = host.replace(/\.$/, "");
  const address = addressOf(host);
  const isLocalhost = /(^|\.)localhost$/.test(name);
  if (scheme === "http" && !isLocalhost && !(address && isLoopback(address))) yield "insecure_http";
  if (/(^|\.)xn--/.test(name)) yield "punycode";
  if (address) yield "ip_host";
  if (address ? judgedBy(address).some(isLocal) : isLocalName(name)) yield "local_network";
  if (port && String(Number(port)) !== PORTS[scheme]) yield "unusual_port";
  if (!URI.test(url)) yield "not_a_uri";
}

const isLocalName = (name) =>
  !name.includes(".") || /(^|\.)(localhost|localdomain[46]?|local|internal|home\.arpa)$/.test(name);

// An address is its `bits` and how many they are, its `length`.
function addressOf(host) {
  const digits = (pieces, width) => pieces.reduce((sum, piece) => (sum << width) | BigInt(piece), 0n);
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return v4(digits(host.split("."), 8n));
  if (!host.startsWith("[")) return null;
  const [head, tail] = host.slice(1, -1).split("::");
  const pieces = (text) => (text ? text.split(":").map((piece) => "0x" + piece) : []);
  const [left, right] = [pieces(head), pieces(tail)];
  const bits = digits([...left, ...Array(8 - left.length - right.length).fill("0"), ...right], 16n);
  // An address of IPv4 that is mapped counts as that address.
  return bits >> 32n === 0xffffn ? v4(bits & LAST_32) : { bits, length: 128n };
}

const LAST_32 = 0xffffffffn;
const v4 = (bits) => ({ bits, length: 32n });

// What carries an IPv4 address is judged by it; how many bits of it follow, and what is inverted.
const CARRIERS = [
  ["::", 96n, 0n, 0n],
  ["::ffff:0:0:0", 96n, 0n, 0n],
  ["64:ff9b::", 96n, 0n, 0n],
  ["2002::", 16n, 80n, 0n],
  ["2001::", 32n, 64n, 0n],
  ["2001::", 32n, 0n, LAST_32],
].map(([first, size, following, inverted]) => ({ ...network(first, size), following, inverted }));

const NETWORKS =
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
  192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
  240.0.0.0/4 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7
  fe80::/10 fec0::/10 ff00::/8`
    .split(/\s+/)
    .map((text) => network(text.split("/")[0], BigInt(text.split("/")[1])));

function network(first, size) {
  return { first: addressOf(first.includes(".") ? first : `[${first}]`), size };
}

const isIn = (address, { first, size }) =>
  address.length === first.length && (address.bits ^ first.bits) >> (address.length - size) === 0n;

const isLocal = (address) => NETWORKS.some((one) => isIn(address, one));

const isLoopback = (address) => isIn(address, network("127.0.0.0", 8n)) || isIn(address, network("::1", 128n));

function judgedBy(address) {
  const carriers = CARRIERS.filter((carrier) => isIn(address, carrier));
  const judged = carriers.map(({ following, inverted }) => v4(((address.bits >> following) & LAST_32) ^ inverted));
  if (!carriers.length) judged.push(address);
  const identifier = (address.bits >> 32n) & LAST_32;
  if (identifier === 0x5efen || identifier === 0x02005efen) judged.push(v4(address.bits & LAST_32));
  return judged;
}
