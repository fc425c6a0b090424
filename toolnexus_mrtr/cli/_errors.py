"""What a command ends with where it cannot do its work; each text is for a person."""


class BadInput(Exception):
    """The input of a command is not what it needs; each argument is one sentence, of where and what was expected."""


class Unwritable(Exception):
    """A file cannot be written; the text says which, and why."""
