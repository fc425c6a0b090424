"""`with_table` puts a generated table into a document."""

from marked import marks, with_table


def test_with_table_replaces_the_table_between_its_marks_and_nothing_else():
    begin, end = marks("speed")
    other = "<!-- memory -->\nother\n<!-- end of memory -->\n"
    document = f"# x\n{begin}old\n{end}\n## y\n{other}"
    assert with_table(document, "speed", "new\n") == f"# x\n{begin}new\n{end}\n## y\n{other}"


def test_with_table_adds_a_section_where_there_are_no_marks():
    written = with_table("# x\n", "tested against", "new\n")
    assert written.startswith("# x\n\n## Tested against\n")
    assert with_table(written, "tested against", "new\n") == written
