"""`inspect_url` compared with a browser's parser: the host that it reports is where a browser goes."""

import itertools
import socket

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolnexus_mrtr import inspect_url
from toolnexus_mrtr._urls import plain_url

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


@pytest.mark.parametrize(
    "url",
    [
        *HAND_MADE,
        "https://ada@example.com/",
        "https://a.example\\/",
        "https://%61.example/",
        *(f"https://{atom}.{atom}{tail}" for atom in ATOMS for tail in TAILS),
    ],
)
def test_plain_url_matches_nothing_that_inspect_url_refuses(url):
    if plain_url(url):
        assert inspect_url(url).refusal is None


def test_plain_url_matches_nothing_longer_than_inspect_url_lets_through():
    longest = "https://" + "a" * 63 + "." + ("b" * 63 + ".") * 15 + "c" * 63 + "/" + "x" * 7000
    assert plain_url(longest)
    assert inspect_url(longest).refusal is None
    assert not plain_url(longest + "x")


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
