"""Answers on the command line to a call of several rounds: each is for one question, in whatever round it is asked."""

import argparse
import json

import pytest
from command_line import ROOTS, form, link, pause_of

from toolnexus_mrtr import Call, ElicitResult
from toolnexus_mrtr.cli._call._asking import NobodyToAsk, ScriptedAsker
from toolnexus_mrtr.cli._errors import BadInput

NAME = form({"name": {"type": "string"}}, required=["name"])


def asker(accept=(), decline=(), cancel=(), json=(), answers=None):
    options = {"accept": accept, "decline": decline, "cancel": cancel, "json": json, "answers": answers}
    return ScriptedAsker(argparse.Namespace(**options))


def pause(**asked):
    return Call("tools/call", {"name": "t"}).receive(pause_of(asked))


@pytest.fixture
def answers(tmp_path):
    """Write a file of `--answers`, and give its name."""

    def write(value):
        path = tmp_path / "answers.json"
        path.write_text(json.dumps(value), "utf-8")
        return str(path)

    return write


def accept(**content):
    return {"action": "accept", "content": content}


def test_each_round_takes_what_is_for_its_keys_and_leaves_the_rest():
    asking = asker(["a.name=Ada", "c"], ["b"], ["d"], ['e={"roots": []}'])
    assert asking.answer(pause(a=NAME, b=link())) == {
        "a": ElicitResult(action="accept", content={"name": "Ada"}),
        "b": ElicitResult(action="decline"),
    }
    assert asking.list_unused() == ["--accept, number 2", "--cancel", "--json"]
    assert asking.answer(pause(c=link(), d=link(), e=ROOTS)) == {
        "c": ElicitResult(action="accept"),
        "d": ElicitResult(action="cancel"),
        "e": {"roots": []},
    }
    assert asking.list_unused() == []


def test_the_same_question_asked_again_gets_the_same_answer():
    asking = asker(["a"])
    assert asking.answer(pause(a=link())) == asking.answer(pause(a=link()))


def test_another_question_under_the_same_key_gets_no_answer():
    asking = asker(["a"])
    asking.answer(pause(a=form(message="Delete the draft?")))
    with pytest.raises(
        NobodyToAsk, match='^"a" asks something else than what was answered: expected answers for each '
    ):
        asking.answer(pause(a=form(message="Delete the bucket?")))


@pytest.mark.parametrize("given", [{}, {"accept": ["b.name=Ada"]}, {"decline": ["aa"]}, {"json": ["b={}"]}], ids=str)
def test_a_key_without_an_answer_is_not_answered(given):
    with pytest.raises(NobodyToAsk, match='^"a" is asked, and nobody is there to answer: expected --accept, '):
        asker(**given).answer(pause(a=NAME))


def test_a_field_that_there_is_not_is_refused_and_not_left_for_a_later_round():
    with pytest.raises(BadInput, match='^--accept, number 2: expected a field of "a": "name"$'):
        asker(["a.name=Ada", "a.nmae=Eve"]).answer(pause(a=NAME))


def test_answers_of_a_file_serve_the_keys_of_any_round(answers):
    asking = asker(["b"], answers=answers({"a": accept(name="Ada"), "c": {"action": "decline"}}))
    assert asking.answer(pause(a=NAME)) == {"a": accept(name="Ada")}
    assert asking.list_unused() == ["--accept", "--answers"]
    assert list(asking.answer(pause(b=link(), c=link()))) == ["b", "c"]
    assert asking.list_unused() == []


def test_answers_of_each_round_may_serve_one_key_again(answers):
    asking = asker(answers=answers([{"a": accept(name="Ada")}, {"a": accept(name="Eve")}]))
    assert asking.answer(pause(a=NAME)) == {"a": accept(name="Ada")}
    assert asking.list_unused() == ["--answers"]
    assert asking.answer(pause(a=form({"name": {"type": "string"}}))) == {"a": accept(name="Eve")}
    assert asking.list_unused() == []
    with pytest.raises(NobodyToAsk, match='^"a" is asked, and nobody is there'):
        asking.answer(pause(a=NAME))


def test_answers_of_a_round_for_a_key_that_is_not_asked_then_are_refused(answers):
    asking = asker(answers=answers([{"b": accept()}]))
    with pytest.raises(BadInput, match='^--answers: expected in each round the keys that are asked then, "a"$'):
        asking.answer(pause(a=NAME))


def test_a_key_that_is_answered_twice_is_refused(answers):
    with pytest.raises(BadInput, match='^"a" is answered twice'):
        asker(decline=["a"], answers=answers({"a": accept(name="Ada")})).answer(pause(a=NAME))


@pytest.mark.parametrize("value", [5, [5], {"a": 5}, [{"a": "Ada"}], [[]]], ids=repr)
def test_answers_of_another_shape_are_refused_without_a_word_of_them(answers, value):
    expected = "--answers: expected an object with an object for each key, or an array of such objects"
    with pytest.raises(BadInput, match=f"^{expected}$"):
        asker(answers=answers(value))


def test_answers_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(BadInput, match="^--answers: expected it to be readable: "):
        asker(answers=str(tmp_path / "missing.json"))
