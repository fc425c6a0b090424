"""The README's table of servers that were tested against, from given reports; no server runs here."""

from peers.table import HEAD, table


def passed_test(server, transport, exercised, version="1.0"):
    return {"server": server, "version": version, "transport": transport, "exercised": exercised}


def rows(*passed):
    made = table(passed)
    assert made.startswith(HEAD)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in made.removeprefix(HEAD).splitlines()]


def test_table_has_one_row_a_server_with_each_thing_once():
    assert rows(passed_test("a", "HTTP", "url"), passed_test("a", "HTTP", "url"), passed_test("a", "HTTP", "form")) == [
        ["a", "1.0", "HTTP", "url; form"]
    ]


def test_table_names_the_transports_of_things_exercised_over_some_alone():
    passed = [passed_test("a", "HTTP", "stored"), passed_test("a", "HTTP", "url"), passed_test("a", "stdio", "url")]
    assert rows(*passed) == [["a", "1.0", "HTTP, stdio", "url; stored (HTTP)"]]


def test_table_gives_another_version_another_row():
    passed = [passed_test("a", "HTTP", "url"), passed_test("a", "HTTP", "url", version="2.0")]
    assert [row[1] for row in rows(*passed)] == ["1.0", "2.0"]
