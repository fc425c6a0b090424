"""A person fills in the forms of a real server in a real browser: what they see, and what arrives."""

import pytest


def test_a_form_with_a_field_of_every_kind_arrives_as_it_was_filled_in(browser):
    browser.call("every_kind")
    browser.type("Full name", "Zo\u00eb O'Neill")
    browser.type("Mail", "zoe@example.com")
    browser.type("Site", "https://example.com/?a=1&b=2")
    browser.set("Born", "1990-02-28")
    browser.set("Call at", "2026-07-28T10:00")
    browser.pick_zone("Europe/Paris")
    browser.type("Code", "not as the pattern has it")
    browser.type("Password", "a secret")
    browser.type("City", "Hamar")
    browser.type("Guests", "3")
    browser.type("Weight", "1.50")
    browser.box("Pet").click()
    browser.pick("Class", "business")
    browser.pick("Meal", "Vegetarian with cheese")
    browser.pick("Bags", "cabin", "ski")
    browser.pick("Extras", "Lounge")
    browser.type("Words", "one\ntwo, three\n\n")
    browser.press("Send this")
    content = {
        "name": "Zo\u00eb O'Neill",
        "note": 'first line\n\n<third> & "line"',
        "mail": "zoe@example.com",
        "site": "https://example.com/?a=1&b=2",
        "born": "1990-02-28",
        "call_at": "2026-07-28T10:00:00+02:00",
        "code": "not as the pattern has it",
        "password": "a secret",
        "city": "Hamar",
        "guests": 3,
        "weight": 1.5,
        "window": True,
        "pet": True,
        "class": "business",
        "meal": "v",
        "bags": ["cabin", "ski"],
        "extras": ["l"],
        "words": ["one", "two, three"],
    }
    assert browser.result() == [{"booking": {"action": "accept", "content": content}}]


def test_fields_that_nobody_touched_are_left_out_and_boxes_are_false(browser):
    browser.call("every_kind")
    browser.type("Full name", "Ada")
    browser.box("Window").click()
    browser.press("Send this")
    note = 'first line\n\n<third> & "line"'
    untouched = {"note": note, "guests": 1, "window": False, "pet": False, "bags": [], "extras": ["w"]}
    assert browser.result() == [{"booking": {"action": "accept", "content": {"name": "Ada"} | untouched}}]


def test_a_form_says_who_asks_and_what_it_wants(browser):
    browser.call("every_kind")
    assert browser.text(".origin") == "parcels asks, for its tool every_kind:"
    assert browser.text("h2") == "Your booking, please"
    shown = {
        "Full name": "Full name\nAs in the passport\nrequired characters at least: 2",
        "Guests": "Guests\nrequired at least 1 at most 8",
        "Weight": "Weight\noptional at most 99.5 more than 0",
        "Meal": "Meal\nVegetarian with cheese\nFish\nNo answer\noptional",
        "Bags": "Bags\ncabin\nhold\nski\noptional how many at most: 2",
        "Code": "Code\noptional of this pattern, which is not checked here: ^[A-Z]{3}$",
    }
    assert {label: browser.field(label).text for label in shown} == shown
    suggested = browser.all("datalist option", browser.field("City"))
    assert [option.get_property("value") for option in suggested] == ["Oslo", "Bergen"]
    assert browser.box("Password").get_attribute("type") == "password"
    assert browser.all("[pattern], [min], [max], [minlength], [required]") == []
    assert browser.find("select").get_property("value") == ""


def test_errors_stand_at_their_fields_and_what_was_entered_is_kept(browser, wire):
    browser.call("every_kind")
    entered = {"Full name": "Z", "Note": "a\nb", "Guests": "nine", "Words": "one\ntwo", "City": "Oslo", "Mail": "zoe@"}
    for label, text in entered.items():
        browser.type(label, text)
    browser.set("Call at", "2026-07-28T10:00")
    browser.box("Window").click()
    browser.pick("Class", "economy")
    browser.pick("Bags", "cabin", "hold", "ski")
    browser.pick("Extras")
    browser.type("Password", "a secret")
    browser.press("Send this")
    errors = browser.errors()
    assert list(errors) == ["Full name", "Mail", "Call at", "Guests", "Bags"]
    assert errors["Full name"] == ["Expected at least 2 characters."]
    assert {label: browser.held(label) for label in entered} == entered
    assert browser.held("Call at") == "2026-07-28T10:00"
    assert [browser.held(label) for label in ("Class", "Bags", "Extras")] == [["economy"], ["cabin", "hold", "ski"], []]
    assert not browser.box("Window").is_selected()
    assert browser.held("Password") == ""
    assert len(wire.sent) == 1

    browser.type("Full name", "Zo\u00eb")
    browser.type("Mail", "zoe@example.com")
    browser.type("Guests", "2")
    browser.pick("Bags", "ski")
    browser.pick_zone("America/New_York")
    browser.press("Send this")
    assert browser.result()[0]["booking"]["content"] == {
        "name": "Zo\u00eb",
        "note": "a\nb",
        "mail": "zoe@example.com",
        "call_at": "2026-07-28T10:00:00-04:00",
        "city": "Oslo",
        "guests": 2,
        "window": False,
        "pet": False,
        "class": "economy",
        "bags": ["ski"],
        "extras": [],
        "words": ["one", "two"],
    }


def test_defaults_but_for_secrets_are_filled_in_and_come_back_as_they_were(browser):
    browser.call("defaults")
    assert browser.held("tags") == "red\nlight blue"
    assert browser.held("since") == "2026-07-28T10:00:00+02:00"
    assert browser.held("odd") == "a\ufffdb\u202ec"
    assert "swordfish" not in browser.driver.page_source
    assert browser.text(".unseen").endswith(r" a\x00b\u202ec")
    browser.press("Send this")
    content = {
        "note": "Hello",
        "since": "2026-07-28T10:00:00+02:00",
        "odd": "a\0b\u202ec",
        "tags": ["red", "light blue"],
        "ways": ["mail"],
        "news": True,
        "seat": "aisle",
        "guests": 2,
    }
    assert browser.result() == [{"settings": {"action": "accept", "content": content}}]


def test_defaults_that_were_cleared_arrive_empty_or_not_at_all(browser):
    browser.call("defaults")
    for label in ("note", "odd", "tags", "guests"):
        browser.type(label, "")
    browser.pick("ways")
    browser.pick("seat", "No answer")
    browser.box("news").click()
    browser.press("Send this")
    content = {"note": "", "since": "2026-07-28T10:00:00+02:00", "odd": "", "tags": [], "ways": [], "news": False}
    assert browser.result() == [{"settings": {"action": "accept", "content": content}}]


@pytest.mark.parametrize(("button", "action"), [("Decline", "decline"), ("Cancel", "cancel")])
def test_a_form_is_declined_or_cancelled_whatever_was_entered(browser, button, action):
    browser.call("every_kind")
    browser.type("Guests", "nine")
    browser.press(button)
    assert browser.result() == [{"booking": {"action": action}}]


def test_a_form_that_cannot_be_shown_can_only_be_declined_or_cancelled(browser):
    browser.call("unreadable")
    assert [button.text for button in browser.all("button:not([hidden])")] == ["Decline", "Cancel"]
    browser.press("Decline")
    assert browser.result() == [{"form": {"action": "decline"}}]


def test_several_questions_are_decided_one_by_one_and_answered_together(browser, wire):
    browser.call("several")
    browser.press("Decline", question=1)
    assert browser.text("#question-1 .decision").startswith("Your decision so far: decline.")
    browser.press("Send this", question=0)
    assert browser.errors() == {"who": ["Expected at least 1 character."]}
    browser.type("who", "Ada")
    browser.press("Send this", question=0)
    assert browser.held("who") == "Ada"
    assert len(wire.sent) == 1
    browser.press("I am done there", question=2)
    assert browser.result() == [
        {
            "who": {"action": "accept", "content": {"who": "Ada"}},
            "": {"action": "decline"},
            "consent": {"action": "accept"},
        }
    ]


def test_the_enter_key_decides_nothing(browser, wire):
    browser.call("several")
    page = browser.find("html")
    browser.type("who", "Ada\n")
    browser.wait_for_another_page(page)
    assert browser.held("who") == "Ada"
    assert browser.all(".decision") == []
    assert len(wire.sent) == 1


def test_a_visit_is_shown_whole_with_its_host_and_what_is_odd_about_it(browser, host):
    browser.call("visit")
    assert browser.text(".host") == "sign-in.example"
    assert browser.text(".url") == "http://sign-in.example:8080/?flow=7"
    assert [warning.text.partition(":")[0] for warning in browser.all(".warning")] == [
        "It is not encrypted",
        "It is on an unusual port.",
    ]
    assert browser.requested() == {host.origin + path for path in ("/", "/style.css", browser.path)}


@pytest.mark.parametrize(
    ("button", "action"), [("I am done there", "accept"), ("Decline", "decline"), ("Cancel", "cancel")]
)
def test_a_visit_is_done_declined_or_cancelled(browser, button, action):
    browser.call("visit")
    browser.press(button)
    assert browser.result() == [{"consent": {"action": action}}]


def test_a_page_that_a_person_opens_does_not_learn_where_they_came_from(browser, wire):
    wire.page = "<script>document.title = window.opener === null ? 'alone' : 'opened by a page'</script>"
    visit = {"mode": "url", "message": "Come in", "url": wire.site}
    wire.results.append(
        {"resultType": "input_required", "inputRequests": {"v": {"method": "elicitation/create", "params": visit}}}
    )
    browser.call("visit")
    assert wire.visits == []
    browser.find("a.visit").click()
    browser.wait_until(lambda: len(browser.driver.window_handles) == 2)
    browser.switch_tab(1)
    browser.wait_until(lambda: browser.driver.title == "alone")
    (visited,) = wire.visits
    assert {"Referer", "Cookie", "Origin"}.isdisjoint(visited)
