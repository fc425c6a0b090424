// The four formats of strings that a form may ask for.

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const ATOM = "[\\w!#$%&'*+/=?^`{|}~-]+";
const EMAIL = new RegExp(
  `^(?:${ATOM}(?:\\.${ATOM})*|"(?:[ !#-\\[\\]-~]|\\\\[ -~])*")@(?:${LABEL}(?:\\.${LABEL})*|\\[([^\\[\\]]+)\\])$`,
  "i",
);

const PCHAR = "[\\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2}";
const URI = new RegExp(
  "^[a-z][a-z0-9+.-]*:" +
    "(?://(?:(?:[\\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*@)?(?:\\[([^\\[\\]]+)\\]|(?:[\\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::[0-9]*)?(?=[/?#]|$)|(?!//))" +
    `(?:${PCHAR})*(?:\\?(?:${PCHAR}|\\?)*)?(?:#(?:${PCHAR}|\\?)*)?$`,
  "i",
);

const isIpv4 = (text) => /^(25[0-5]|2[0-4]\d|1?[1-9]?\d|1\d\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/.test(text);

function isIpv6(text) {
  if (!/^[0-9a-f:.]+$/i.test(text)) return false;
  try {
    new URL(`http://[${text}]/`);
    return true;
  } catch {
    return false;
  }
}

function isEmail(text) {
  const found = EMAIL.exec(text);
  if (!found || text.lastIndexOf("@") > 64) return false;
  if (found[1] === undefined) return text.length - text.lastIndexOf("@") - 1 <= 253;
  return /^ipv6:/i.test(found[1]) ? isIpv6(found[1].slice(5)) : isIpv4(found[1]);
}

function isUri(text) {
  const found = URI.exec(text);
  if (!found || found[1] === undefined) return found !== null;
  return isIpv6(found[1]) || /^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(found[1]);
}

function isDate(text) {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map(Number);
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

function isDateTime(text) {
  const found =
    /^(\d{4}-\d\d-\d\d)t([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i.exec(
      text,
    );
  if (!found || !isDate(found[1])) return false;
  if (found[4] !== "60") return true;
  // A leap second ends a day of UTC.
  const offset = (Number(found[6] ?? 0) * 60 + Number(found[7] ?? 0)) * (found[5] === "-" ? -1 : 1);
  return (((Number(found[2]) * 60 + Number(found[3]) - offset) % 1440) + 1440) % 1440 === 1439;
}

export const FORMATS = { email: isEmail, uri: isUri, date: isDate, "date-time": isDateTime };
