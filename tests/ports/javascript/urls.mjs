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
  if (written.includes("..") || written.startsWith(".")) return refused("bad_host");
  if (Number(port ?? "") > 65535) return refused("bad_port");
  let parsed;
  try {
    // The host alone: Unicode labels are let through as they are written.
    parsed = new URL(`${scheme}://${written}`);
  } catch {
    if (!/(^|\.)xn--/i.test(written)) return refused("bad_host");
  }
  const host = parsed?.hostname ?? written.toLowerCase();
  return { scheme, host, warnings: [...warningsOf(scheme, host, port)], refusal: null };
}

function* warningsOf(scheme, host, port) {
  const name = host.replace(/\.$/, "");
  const address = addressesOf(host);
  const isLocalhost = name === "localhost" || name.endsWith(".localhost");
  if (scheme === "http" && !isLocalhost && !address.some(staysHere)) yield "insecure_http";
  if (/(^|\.)xn--/.test(name)) yield "punycode";
  if (address.length) yield "ip_host";
  if (isLocalhost || name.endsWith(".local") || address.some(isLocal)) yield "local_network";
  if (port && String(Number(port)) !== PORTS[scheme]) yield "unusual_port";
}

// An address as eight numbers of 16 bits, and the IPv4 addresses that travel inside it as four of 8.
function addressesOf(host) {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return [{ v4: host.split(".").map(Number) }];
  if (!host.startsWith("[")) return [];
  const [head, tail] = host.slice(1, -1).split("::");
  const pieces = (text) => (text ? text.split(":").map((piece) => parseInt(piece, 16)) : []);
  const [left, right] = [pieces(head), pieces(tail)];
  const v6 = [...left, ...Array(8 - left.length - right.length).fill(0), ...right];
  const inside = [{ v6 }];
  const v4 = (high, low) => inside.push({ v4: [high >> 8, high & 255, low >> 8, low & 255], isCarried: v6[5] !== 0xffff });
  const zeros = (count) => v6.slice(0, count).every((piece) => piece === 0);
  if (zeros(6) || (zeros(5) && v6[5] === 0xffff)) v4(v6[6], v6[7]);
  if (v6[0] === 0x64 && v6[1] === 0xff9b && v6.slice(2, 6).every((piece) => piece === 0)) v4(v6[6], v6[7]);
  if (v6[0] === 0x2002) v4(v6[1], v6[2]);
  return inside;
}

const isLoopback = ({ v4, v6 }) => (v4 ? v4[0] === 127 : v6.slice(0, 7).every((piece) => piece === 0) && v6[7] === 1);

// What only carries an address of the machine goes out all the same; an IPv4 address that is mapped is that address.
const staysHere = (address) => !address.isCarried && isLoopback(address);

const isLocal = (address) => {
  const { v4, v6 } = address;
  if (isLoopback(address)) return true;
  if (v6) {
    return (
      v6.every((piece) => piece === 0) ||
      (v6[0] & 0xfe00) === 0xfc00 ||
      (v6[0] & 0xffc0) === 0xfe80 ||
      (v6[0] & 0xffc0) === 0xfec0 ||
      (v6[0] === 0x64 && v6[1] === 0xff9b && v6[2] === 1)
    );
  }
  const [a, b] = v4;
  return (
    a === 0 ||
    a === 10 ||
    (a === 100 && (b & 0xc0) === 64) ||
    (a === 169 && b === 254) ||
    (a === 172 && (b & 0xf0) === 16) ||
    (a === 192 && b === 168)
  );
};
