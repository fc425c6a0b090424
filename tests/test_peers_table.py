"""The table of what was tested against what, on reports that are given; no server is spoken to here."""

from peers.table import BEGIN, END, HEAD, table, with_table


def passed_test(server, transport, exercised, version="1.0"):
    return {"server": server, "version": version, "transport": transport, "exercised": exercised}


def rows(*passed):
    made = table(passed)
    assert made.startswith(HEAD)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in made.removeprefix(HEAD).splitlines()]


def test_a_server_has_one_row_with_each_thing_once():
    assert rows(passed_test("a", "HTTP", "url"), passed_test("a", "HTTP", "url"), passed_test("a", "HTTP", "form")) == [
        ["a", "1.0", "HTTP", "url; form"]
    ]


def test_what_was_exercised_over_some_transports_alone_names_them():
    passed = [passed_test("a", "HTTP", "stored"), passed_test("a", "HTTP", "url"), passed_test("a", "stdio", "url")]
    assert rows(*passed) == [["a", "1.0", "HTTP, stdio", "url; stored (HTTP)"]]


def test_another_version_is_another_row():
    passed = [passed_test("a", "HTTP", "url"), passed_test("a", "HTTP", "url", version="2.0")]
    assert [row[1] for row in rows(*passed)] == ["1.0", "2.0"]


def test_the_table_replaces_the_one_between_its_marks_and_nothing_else():
    readme = f"# x\n{BEGIN}old\n{END}\n## y\n"
    assert with_table(readme, "new\n") == f"# x\n{BEGIN}new\n{END}\n## y\n"


def test_the_table_finds_a_place_where_it_has_none():
    written = with_table("# x\n", "new\n")
    assert written.startswith("# x\n\n## Tested against\n")
    assert with_table(written, "new\n") == written
