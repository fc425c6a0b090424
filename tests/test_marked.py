"""Where a table that is made goes in a document."""

from marked import marks, with_table


def test_a_table_replaces_the_one_between_its_marks_and_nothing_else():
    begin, end = marks("speed")
    other = "<!-- memory -->\nother\n<!-- end of memory -->\n"
    document = f"# x\n{begin}old\n{end}\n## y\n{other}"
    assert with_table(document, "speed", "new\n") == f"# x\n{begin}new\n{end}\n## y\n{other}"


def test_a_table_finds_a_place_where_it_has_none():
    written = with_table("# x\n", "tested against", "new\n")
    assert written.startswith("# x\n\n## Tested against\n")
    assert with_table(written, "tested against", "new\n") == written
