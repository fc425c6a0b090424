"""The four formats: values that their standards allow and forbid, and any text at all."""

import ipaddress
from datetime import date, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import text

from toolnexus_mrtr._forms._formats import FORMATS, is_date, is_date_time, is_email, is_uri

VALID = {
    "email": [
        "ada@example.com",
        "ADA@EXAMPLE.COM",
        "first.last+tag@sub.example.co.uk",
        "!#$%&'*+-/=?^_`{|}~@example.org",
        "user@localhost",
        "1@2.3",
        '"john doe"@example.com',
        '"a\\"b"@example.com',
        '""@example.com',
        "a@[192.0.2.1]",
        "a@[IPv6:2001:db8::1]",
        "a@[ipv6:::]",
        "a@xn--bcher-kva.example",
        "a" * 64 + "@example.com",
        "a@" + "b" * 63 + ".example",
    ],
    "uri": [
        "https://example.com",
        "HTTP://EXAMPLE.COM/",
        "http://user:pass@example.com:8080/path;p=1?q=a/b?c#frag/ment?",
        "https://example.com:/",
        "https://[2001:db8::1]/",
        "https://[::ffff:192.0.2.1]/",
        "https://[v7.a:b]/",
        "mailto:Ada@example.com",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
        "tel:+1-816-555-1212",
        "file:///etc/hosts",
        "data:,x",
        "a:",
        "x+y-1.0:z",
        "https://example.com/%E2%82%AC",
        "https://a_b.example/~x/(y)!$&'*+,;=:@",
        "about:blank?",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
    ],
    "date": ["2026-07-28", "2024-02-29", "2000-02-29", "0000-01-01", "0000-02-29", "9999-12-31", "0001-01-01"],
    "date-time": [
        "2026-07-28T10:00:00Z",
        "2026-07-28t10:00:00z",
        "2026-07-28T10:00:00.1+00:00",
        "2026-07-28T10:00:00.123456789012345Z",
        "2026-07-28T23:59:59-23:59",
        "1990-12-31T23:59:60Z",
        "1990-12-31T15:59:60-08:00",
        "1991-01-01T00:59:60+01:00",
        "1937-01-01T12:00:27.87+00:20",
        "2026-07-28T10:00:00-00:00",
    ],
}

INVALID = {
    "email": [
        "",
        "@",
        "ada",
        "ada@",
        "@example.com",
        "a b@example.com",
        "a@b@example.com",
        ".a@example.com",
        "a.@example.com",
        "a..b@example.com",
        "a@-example.com",
        "a@example-.com",
        "a@example..com",
        "a@.example.com",
        "a@example.com.",
        "a@exa_mple.com",
        "a@exa mple.com",
        "a@[192.0.2.256]",
        "a@[192.0.2]",
        "a@[01.2.3.4]",
        "a@[IPv6:192.0.2.1]",
        "a@[IPv6:fe80::1%eth0]",
        "a@[2001:db8::1]",
        "a@[]",
        '"a"b@example.com',
        '"a\n"@example.com',
        '"é"@example.com',
        "é@example.com",
        "a@bücher.example",
        "\u017fa@example.com",
        "Ada <ada@example.com>",
        " ada@example.com",
        "ada@example.com\n",
        "a" * 65 + "@example.com",
        "a@" + "b" * 64 + ".example",
        "a@" + "b." * 127 + "example",
    ],
    "uri": [
        "",
        ":",
        "example.com",
        "/path",
        "//example.com/",
        "?q",
        "#f",
        "1http://example.com",
        "-a:b",
        "ht tp://example.com",
        "https://exa mple.com/",
        "https://example.com/a b",
        "https://example.com/%",
        "https://example.com/%4",
        "https://example.com/%zz",
        "https://example.com/[x]",
        "https://example.com/\\x",
        "https://example.com/#a#b",
        "https://example.com:80a/",
        "https://a:b:c/",
        "https://a@b@c/",
        "https://[::1",
        "https://::1]/",
        "https://[::1]x/",
        "https://[fe80::1%25eth0]/",
        "https://[1.2.3.4]/",
        "https://[v.x]/",
        "https://[]/",
        "https://bücher.example/",
        "https://example.com/\u00e9",
        "https://example.com/\n",
        '"https://example.com/"',
        "<https://example.com/>",
        "https://example.com/{x}",
        "a|b:c",
    ],
    "date": [
        "",
        "20260728",
        "2026-7-28",
        "26-07-28",
        "2026-07",
        "2026-13-01",
        "2026-00-01",
        "2026-01-00",
        "2026-04-31",
        "2026-02-30",
        "2025-02-29",
        "1900-02-29",
        "2024-W01-1",
        "2026-209",
        "+2026-07-28",
        "2026/07/28",
        " 2026-07-28",
        "2026-07-28\n",
        "2026-07-28Z",
        "\u0662\u0660\u0662\u0666-07-28",
        "12026-07-28",
    ],
    "date-time": [
        "",
        "2026-07-28",
        "10:00:00Z",
        "2026-07-28T10:00:00",
        "2026-07-28 10:00:00Z",
        "2026-07-28T10:00Z",
        "2026-07-28T10Z",
        "2026-07-28T24:00:00Z",
        "2026-07-28T10:60:00Z",
        "2026-07-28T10:00:61Z",
        "2026-07-28T10:00:60Z",
        "2026-07-28T23:59:60+01:00",
        "2026-02-30T10:00:00Z",
        "2026-07-28T10:00:00.Z",
        "2026-07-28T10:00:00,5Z",
        "2026-07-28T10:00:00+24:00",
        "2026-07-28T10:00:00+01:60",
        "2026-07-28T10:00:00+0100",
        "2026-07-28T10:00:00+01",
        "2026-07-28T10:00:00ZZ",
        "2026-07-28T10:00:00Z\n",
        "----------T10:00:00Z",
        "2026-07-28T1\u0660:00:00Z",
    ],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in VALID for value in VALID[name]])
def test_formats_accept_values_that_the_standard_allows(name, value):
    assert FORMATS[name](value) is True


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in INVALID for value in INVALID[name]])
def test_formats_reject_values_that_the_standard_forbids(name, value):
    assert FORMATS[name](value) is False


@given(value=st.one_of(text, st.text('0123456789-:.TtZz+@[]%/"\\ aé\n', max_size=30)))
@example("\ud800@a")
def test_formats_give_true_or_false_for_any_text(value):
    for holds in FORMATS.values():
        assert holds(value) in (True, False)


@given(day=st.dates())
def test_is_date_accepts_every_day_of_the_calendar(day):
    assert is_date(day.isoformat())


@given(digits=st.from_regex(r"\A[0-9]{4}-[0-1][0-9]-[0-3][0-9]\Z"))
def test_is_date_accepts_only_days_of_the_calendar(digits):
    if is_date(digits) and not digits.startswith("0000"):
        assert date.fromisoformat(digits).isoformat() == digits


@given(moment=st.datetimes(timezones=st.timezones()))
def test_is_date_time_accepts_every_moment_with_an_offset_of_whole_minutes(moment):
    offset = moment.utcoffset()
    assert is_date_time(moment.isoformat()) == (offset is None or offset.seconds % 60 == 0)


@given(moment=st.datetimes(), offset=st.integers(-1439, 1439))
def test_is_date_time_accepts_only_moments_that_python_reads_too(moment, offset):
    sign = "-" if offset < 0 else "+"
    written = f"{moment.isoformat()}{sign}{abs(offset) // 60:02}:{abs(offset) % 60:02}"
    assert is_date_time(written)
    assert datetime.fromisoformat(written).replace(tzinfo=None) == moment


@given(address=st.ip_addresses())
def test_is_uri_and_is_email_accept_every_ip_address_as_host(address):
    literal = f"[{address}]" if isinstance(address, ipaddress.IPv6Address) else str(address)
    tag = "IPv6:" if isinstance(address, ipaddress.IPv6Address) else ""
    # Neither standard knows zones.
    plain = "%" not in str(address)
    assert is_uri(f"https://{literal}/") == plain
    assert is_email(f"a@[{tag}{address}]") == plain
