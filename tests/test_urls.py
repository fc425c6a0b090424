"""`inspect_url` compared with a browser's parser: the host that it reports is where a browser goes."""

import itertools
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolnexus_mrtr import inspect_url
from toolnexus_mrtr._forms._formats import is_uri
from toolnexus_mrtr._urls import MAX_URL, _addresses_within, plain_url

SCHEMES = ["https:", "http:", "HTTPS:", "hTTp:", "https", "javascript:", "ftp:", ""]
SLASHES = ["//", "/", "", "///", "\\\\", "/\\"]
TAILS = ["", "/", "?q", "#f", ":8080", ":443/", ":080", ":65536", ":", "/@x", "\\@x", "/p?x#y", "/%5c", "@evil.test/"]

#: Parts of hosts that parsers disagree about: full stops and letters that fold to ASCII, characters that are dropped,
#: numbers in every base, punycode, brackets, escapes.
ATOMS = [
    *"""
    a b-c example.com x_y xn--80ak6aa92e xn-- xn--a XN--4dbrk0ce LOCALHOST localhost local 0 1 9 08 0x 0xG 0x7f 0X7F 127
    255 256 0300 1.2.3.4 127.0.0.1 2130706433 4294967296 1e3 . .. - _ [::1] [ ] :: ::ffff:1.2.3.4 fe80::1%eth0 %41 %2e
    @ \\ / // ? # : 443 ! $ & ' ( ) * + , ; = ~ ` { | } ^ < > "
    """.split(),
    *" \t\n\r\0\u3002\uff0e\uff61\uff41\u00ad\u200b\u212a\u00df\u0430\u2100",
]

HAND_MADE = [
    "https://good.example@evil.test/",
    "https://evil.test\\@good.example/",
    "https://good.example\\.evil.test/",
    "https://good.example/\\evil.test",
    "https:good.example",
    "https:/good.example",
    "https:///good.example",
    "https://good.example%2eevil.test/",
    "https://good\u3002example/",
    "https://\uff47\uff4f\uff4f\uff44.example/",
    "https://go\u00adod.example/",
    "https://go\nod.example/",
    "https://\u212aelvin.example/",
    "https://fa\u00df.example/",
    "https://xn--fa-hia.example/",
    "https://xn--80ak6aa92e.com/",
    "https://127.1/",
    "https://0x7f000001/",
    "https://017700000001/",
    "https://" + "0" * 59 + "177.0.0.1/",
    "https://0x" + "0" * 59 + "7f.0.0.1/",
    "https://127.0.0." + "0" * 300 + "1/",
    "https://0x" + "f" * 61 + "/",
    "https://1.2.3/",
    "https://1.2.3.4./",
    "https://1.2.3.4../",
    "https://0.0.0.0x100/",
    "https://256.256/",
    "https://1_1.2.3.4/",
    "https://-1.2.3.4/",
    "https://+1.2.3.4/",
    "https://[::ffff:127.0.0.1]/",
    "https://[0:0:0:1::]/",
    "https://[1:0:0:2:0:0:0:3]/",
    "https://[::1.2.3]/",
    "https://[::01.2.3.4]/",
    "https://[fe80::1%25eth0]/",
    "https://a.example:0/",
    "https://a.example:00000000000000443/",
    "https://a.example.:443./",
    "https://a--b.example/",
    "https://-a.example-/",
    "https://a.example/?\\",
]


def assert_goes_where_it_says(url):
    report = inspect_url(url)
    assert report.url is url
    if report.refusal is not None:
        assert (report.host, report.warnings) == (None, ())
        return
    if not ada_url.check_url(url):
        # A browser refuses punycode that decodes to nothing, and goes nowhere.
        assert "punycode" in report.warnings
        return
    browser = ada_url.URL(url)
    assert (browser.protocol, browser.hostname) == (f"{report.scheme}:", report.host)
    assert (browser.username, browser.password) == ("", "")
    assert ("unusual_port" in report.warnings) == bool(browser.port)


@pytest.mark.parametrize("url", HAND_MADE)
def test_inspect_url_reports_the_host_of_a_hand_made_url_as_a_browser_does(url):
    assert_goes_where_it_says(url)


@pytest.mark.parametrize("slashes", SLASHES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_inspect_url_reports_hosts_of_every_scheme_atom_and_tail_as_a_browser_does(scheme, slashes):
    for atom, tail in itertools.product(ATOMS, TAILS):
        assert_goes_where_it_says(scheme + slashes + atom + tail)
        assert_goes_where_it_says(scheme + slashes + "a." + atom + tail)
        assert_goes_where_it_says(scheme + slashes + atom + ".a" + tail)


@given(
    st.builds(
        lambda scheme, slashes, atoms, tail: scheme + slashes + "".join(atoms) + tail,
        st.sampled_from(SCHEMES[:4]),
        st.sampled_from(SLASHES[:1] * 9 + SLASHES),
        st.lists(st.sampled_from(ATOMS), max_size=6),
        st.sampled_from(TAILS),
    )
)
@settings(max_examples=2000)
def test_inspect_url_reports_the_host_of_a_generated_url_as_a_browser_does(url):
    assert_goes_where_it_says(url)


@given(
    st.lists(st.integers(0, 2**32), min_size=1, max_size=5), st.sampled_from([str, hex, lambda number: f"0{number:o}"])
)
@settings(max_examples=500)
def test_inspect_url_reads_numbers_as_a_host_as_a_browser_does(numbers, spell):
    assert_goes_where_it_says("https://" + ".".join(spell(number) for number in numbers) + "/")


@given(st.ip_addresses(v=6).map(lambda address: address.exploded))
@settings(max_examples=500)
def test_inspect_url_writes_ipv6_addresses_as_a_browser_does(address):
    assert_goes_where_it_says(f"https://[{address}]/")


@given(st.text(max_size=40))
@settings(max_examples=500)
def test_inspect_url_has_a_report_for_any_text(text):
    assert_goes_where_it_says(text)
    assert_goes_where_it_says("https://" + text)


PLAIN = st.builds(
    lambda scheme, labels, tail: scheme + "//" + ".".join(labels) + tail,
    st.sampled_from(SCHEMES[:4] + ["https:"] * 9),
    st.lists(
        st.sampled_from(
            "a b-c example com io xn--a XN--4dbrk0ce Xn localhost LocalDomain localdomain6 local Internal home arpa lo"
            " int 1 08 0x7f 127 a_b".split()
        ),
        max_size=6,
    ),
    st.lists(
        st.sampled_from([*"/?#[]%\"<>^`{|}&=;@:!$'()*+,~\\", "%2", "%2F", "%zz", "ab", "x" * 3000, ":443", ":8443"]),
        max_size=6,
    ).map("".join),
)


@given(PLAIN)
@settings(max_examples=2000)
def test_plain_url_matches_nothing_that_inspect_url_refuses_or_warns_of(url):
    if plain_url(url):
        report = inspect_url(url)
        assert (report.refusal, report.warnings) == (None, ())


@pytest.mark.parametrize(
    "url", [*HAND_MADE, "https://%61.example/", *(f"https://{atom}.{atom}{tail}" for atom in ATOMS for tail in TAILS)]
)
def test_plain_url_matches_nothing_hand_made_that_inspect_url_refuses_or_warns_of(url):
    if plain_url(url):
        report = inspect_url(url)
        assert (report.refusal, report.warnings) == (None, ())


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example",
        "https://AUTH.Example.COM/a/b?x[]=1&y=%20#f[0]",
        "https://a.b.c.d.e.f.example/~x/(y)!$&'*+,;=:@?/?#/?",
        "https://local.example/",
        "https://a0123456789.example",
        "https://a.b",
        "https://a.x0123456789",
        "https://" + "a." * 16 + "example",
        f"https://{'a' * 63}.{'b' * 63}/",
    ],
)
def test_plain_url_matches_a_plain_url(url):
    assert plain_url(url)
    assert inspect_url(url).refusal is None


@pytest.mark.parametrize(
    "url", [f"https://{'a' * 64}.b/", f"https://a.{'b' * 64}/", "https://" + "a." * 17 + "example"]
)
def test_plain_url_matches_no_long_label_and_no_name_of_many(url):
    assert not plain_url(url)


@pytest.mark.parametrize("before", ["/", "/a/", "?", "/?a", "#", "/?#a"])
@pytest.mark.parametrize("escape", ["%00", "%0F", "%f0", "%9A", "%AF", "%af%25"])
def test_inspect_url_does_not_warn_of_a_percent_escape(before, escape):
    url = f"https://a.example{before}{escape}b"
    assert inspect_url(url).warnings == ()
    assert plain_url(url)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://0x7f000001/", "127.0.0.1"),
        ("https://0xc0a80101/", "192.168.1.1"),
        ("https://0xabcdef90/", "171.205.239.144"),
        ("https://017700000001/", "127.0.0.1"),
        ("https://3232235777:10980/", "192.168.1.1"),
        ("https://19.28.0.0x0/", "19.28.0.0"),
        ("https://a0123456789.example:65530/", "a0123456789.example"),
    ],
)
def test_inspect_url_reads_every_digit_of_a_host_and_a_port(url, host):
    assert inspect_url(url).host == host


@pytest.mark.parametrize(
    ("address", "within"),
    [
        ("1.2.3.5", ["1.2.3.5"]),
        ("2a00::1:2:3:5", ["2a00::1:2:3:5"]),
        ("::1.2.3.5", ["1.2.3.5"]),
        ("::ffff:1.2.3.5", ["1.2.3.5"]),
        ("::ffff:0:1.2.3.5", ["1.2.3.5"]),
        ("64:ff9b::1.2.3.5", ["1.2.3.5"]),
        ("2002:102:305::", ["1.2.3.5"]),
        ("2001:0:102:305::f7f8:f9fb", ["1.2.3.5", "8.7.6.4"]),
        ("2a00::5efe:102:305", ["2a00::5efe:102:305", "1.2.3.5"]),
        ("2a00::200:5efe:102:305", ["2a00::200:5efe:102:305", "1.2.3.5"]),
    ],
)
def test_an_address_carries_another_to_its_last_bit(address, within):
    assert [*_addresses_within(ip_address(address))] == [ip_address(each) for each in within]


@pytest.mark.parametrize("port", ["65536", "100000", "9" * 5000], ids=["one more", "six digits", "5,000 digits"])
def test_inspect_url_refuses_a_port_beyond_65535_of_any_length(port):
    assert inspect_url(f"https://a.example:{port}/").refusal == "bad_port"


def test_inspect_url_reads_every_kind_of_scheme():
    assert inspect_url("Ab0189+.-:x").scheme == "ab0189+.-"


def test_plain_url_matches_nothing_longer_than_inspect_url_lets_through():
    host = "a" * 63 + "." + "b" * 63 + "." + "c" * 63 + "." + "d" * 61
    longest = f"https://{host}/".ljust(MAX_URL, "x")
    assert plain_url(longest)
    assert inspect_url(longest).refusal is None
    assert not plain_url(longest + "x")
    assert inspect_url(longest + "x").refusal == "too_long"
    assert not plain_url(f"https://x{host}")
    assert not plain_url(f"https://{host}x")


@pytest.mark.parametrize("end", ["", ".", ":443", "/", "?", "#"])
def test_inspect_url_refuses_a_host_beyond_253_characters_and_a_label_beyond_63(end):
    label = "a" * 63
    host = f"{label}.{label}.{label}.{'d' * 61}"
    assert len(host) == 253
    assert inspect_url(f"https://{host}{end}").refusal is None
    assert inspect_url(f"https://{host}d{end}").refusal == "bad_host"
    assert inspect_url(f"https://{label}a.example{end}").refusal == "bad_host"
    assert inspect_url(f"https://a.{label}a{end}").refusal == "bad_host"


#: What RFC 6890, its registries, and the RFCs on multicast set aside: the first and the last address of each network.
SET_ASIDE = [
    ("0.0.0.0", "0.255.255.255"),
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.0.2.0", "192.0.2.255"),
    ("192.31.196.0", "192.31.196.255"),
    ("192.52.193.0", "192.52.193.255"),
    ("192.88.99.0", "192.88.99.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("192.175.48.0", "192.175.48.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("198.51.100.0", "198.51.100.255"),
    ("203.0.113.0", "203.0.113.255"),
    ("224.0.0.0", "239.255.255.255"),
    ("240.0.0.0", "255.255.255.255"),
    ("::", "::"),
    ("::1", "::1"),
    ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
    ("100::", "100::ffff:ffff:ffff:ffff"),
    ("100:0:0:1::", "100::1:ffff:ffff:ffff:ffff"),
    ("2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
]

#: Networks whose addresses are judged by the IPv4 address in them.
CARRYING = [ip_network(text) for text in ("::/96", "2001::/32")]


def is_set_aside(address):
    ends = ((ip_address(first), ip_address(last)) for first, last in SET_ASIDE)
    return any(first.version == address.version and first <= address <= last for first, last in ends)


def is_local(address):
    host = f"[{address}]" if address.version == 6 else str(address)
    report = inspect_url(f"https://{host}/")
    assert report.refusal is None
    return "local_network" in report.warnings


@pytest.mark.parametrize(("first", "last"), SET_ASIDE)
def test_inspect_url_warns_of_both_ends_of_each_network_that_is_set_aside(first, last):
    first, last = ip_address(first), ip_address(last)
    assert is_local(first)
    assert is_local(last)
    assert is_local(first + (int(last) - int(first)) // 2)
    ends = [place for place in (int(first) - 1, int(last) + 1) if 0 <= place < 2**first.max_prefixlen]
    for neighbour in map(type(first), ends):
        if not any(neighbour in network for network in CARRYING):
            assert is_local(neighbour) == is_set_aside(neighbour)


@given(st.ip_addresses(v=4))
@settings(max_examples=500)
def test_inspect_url_warns_of_an_ipv4_address_exactly_where_it_is_set_aside(address):
    assert is_local(address) == is_set_aside(address)


def carriers_of(address):
    """Every spelling of an IPv4 address inside an IPv6 address."""
    bits = int(address)
    public = 0x08080808
    yield IPv6Address(bits)
    yield IPv6Address(0xFFFF << 32 | bits)
    yield IPv6Address(0xFFFF << 48 | bits)
    yield IPv6Address(0x64FF9B << 96 | bits)
    yield IPv6Address(0x2002 << 112 | bits << 80 | 0x5)
    yield IPv6Address(0x2001 << 112 | bits << 64 | public ^ 0xFFFFFFFF)
    yield IPv6Address(0x2001 << 112 | public << 64 | 0x8000 << 48 | bits ^ 0xFFFFFFFF)
    yield IPv6Address(0x2A00 << 112 | 0x5EFE << 32 | bits)
    yield IPv6Address(0x2A00 << 112 | 0x02005EFE << 32 | bits)


@given(
    st.one_of(
        st.ip_addresses(v=4),
        st.sampled_from([ip_address(end) for ends in SET_ASIDE for end in ends if "." in end]),
        st.sampled_from([IPv4Address("8.8.8.8"), IPv4Address("1.1.1.1")]),
    )
)
def test_inspect_url_warns_of_an_address_that_carries_another_exactly_where_it_warns_of_that(address):
    assert [is_local(carrier) for carrier in carriers_of(address)] == [is_set_aside(address)] * 9


@pytest.mark.parametrize(
    "text",
    """
    ::1:127.0.0.1 ::fffe:127.0.0.1 ::fffe:0:127.0.0.1 ::ffff:1:127.0.0.1 64:ff9b::1:7f00:1 64:ff9a::7f00:1 2003:7f00:1::
    2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2a00::5efd:7f00:1 2a00::100:5efe:7f00:1
    """.split(),
)
def test_inspect_url_does_not_warn_of_an_address_that_carries_none(text):
    assert inspect_url(f"https://[{text}]/").warnings == ("ip_host",)


def test_inspect_url_warns_of_isatap_in_a_local_network_whatever_it_carries():
    assert is_local(ip_address("fe80::5efe:8.8.8.8"))


@pytest.mark.parametrize(
    "host",
    """
    localhost LOCALHOST. app.localhost localhost.localdomain a.localdomain localhost4.localdomain4
    localhost6.localdomain6 ip6-localhost ip6-loopback router metadata.google.internal internal x.home.arpa home.arpa
    printer.local. local com
    """.split(),
)
def test_inspect_url_warns_of_a_name_of_the_local_network(host):
    assert "local_network" in inspect_url(f"https://{host}/").warnings


@pytest.mark.parametrize(
    "host",
    "a.example localhost.example local.example internal.example arpa.example notlocal.locale x.arpa a.xlocal".split(),
)
def test_inspect_url_does_not_warn_of_a_public_name(host):
    assert inspect_url(f"https://{host}/").warnings == ()


@pytest.mark.parametrize("character", [*'"<>^`{|}'])
@pytest.mark.parametrize("before", ["/", "/a", "/?", "/?a", "/#", "/#a", "?", "#", "/a?b#c"])
def test_inspect_url_warns_of_a_character_that_no_uri_holds(character, before):
    report = inspect_url(f"https://a.example{before}{character}")
    assert (report.warnings, report.host) == (("not_a_uri",), "a.example")


@pytest.mark.parametrize("tail", ["/%", "/%2", "/%2g", "/a%", "?%zz", "#%", "/[", "/a]b", "/#a#", "?a#b#c", "##"])
def test_inspect_url_warns_of_what_is_no_uri(tail):
    assert inspect_url(f"https://a.example{tail}").warnings == ("not_a_uri",)
    assert inspect_url(f"http://router:81{tail}").warnings[-1] == "not_a_uri"


@pytest.mark.parametrize(
    "tail", ["", "?", "#", "/%2F", "?a[]=1", "?a[0][x]=[", "#a[b]?c/d", "/a:b@c;d=e,f+(g)*'h'!~$&"]
)
def test_inspect_url_does_not_warn_of_a_uri_nor_of_brackets_in_its_query_or_fragment(tail):
    assert inspect_url(f"https://a.example{tail}").warnings == ()


@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=12))
@settings(max_examples=500)
def test_inspect_url_says_not_a_uri_exactly_where_the_format_uri_does_but_for_brackets(tail):
    url = "https://a.example/?" + tail
    report = inspect_url(url)
    if report.refusal is None:
        assert ("not_a_uri" in report.warnings) == (not is_uri(url.replace("[", "x").replace("]", "x")))


@pytest.mark.parametrize("url", [None, b"https://a.example", 5], ids=repr)
def test_inspect_url_takes_only_a_str(url):
    with pytest.raises(TypeError, match="^url must be a str"):
        inspect_url(url)


def test_inspect_url_never_opens_the_url():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        assert inspect_url(f"http://127.0.0.1:{port}/").host == "127.0.0.1"
        with pytest.raises(BlockingIOError):
            server.accept()
