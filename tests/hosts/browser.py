"""A person at a real browser: what they see and press by its words, and what the browser did on its own."""

import json
import os

from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

FLAGS = """
    --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync
""".split()

#: Seconds to wait for what is not on the page yet.
PATIENCE = 15


class Browser:
    """Chromium with a profile of its own."""

    def __init__(self, profile):
        options = ChromeOptions()
        options.binary_location = os.environ["HOSTS_CHROMIUM"]
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        self.origin = ""
        self.driver = Chrome(options=options, service=ChromeService(os.environ["HOSTS_DRIVER"]))

    def quit(self):
        self.driver.quit()

    def forget(self):
        """Close every tab but one, and forget all cookies."""
        while len(self.driver.window_handles) > 1:
            self.switch_tab(-1)
            self.driver.close()
        self.switch_tab(0)
        self.driver.delete_all_cookies()
        self.driver.get("about:blank")
        self.requested(), self.complaints()

    def open(self, path="/"):
        self.driver.get(self.origin + path)

    def open_tab(self, path):
        self.driver.switch_to.new_window("tab")
        self.open(path)

    def switch_tab(self, number):
        self.driver.switch_to.window(self.driver.window_handles[number])

    @property
    def path(self):
        return self.driver.current_url.removeprefix(self.origin)

    def all(self, css, within=None):
        return (within or self.driver).find_elements(By.CSS_SELECTOR, css)

    def find(self, css, within=None):
        return WebDriverWait(within or self.driver, PATIENCE).until(lambda _: next(iter(self.all(css, within)), None))

    def text(self, css="main"):
        return self.find(css).text

    def press(self, words, question=None):
        """Press a button, if need be that of one of several questions, and wait for the next page."""
        page = self.find("html")
        within = "" if question is None else f"#question-{question} "
        (button,) = [button for button in self.all(f"{within}button") if button.text == words]
        button.click()
        self.wait_for_another_page(page)

    def follow(self, css):
        page = self.find("html")
        self.find(css).click()
        self.wait_for_another_page(page)

    def wait_until(self, condition):
        WebDriverWait(self.driver, PATIENCE).until(lambda _: condition())

    def wait_for_another_page(self, page):
        WebDriverWait(self.driver, PATIENCE).until(staleness_of(page))

    def call(self, tool):
        """Start a call of a tool, and wait for what comes of it."""
        self.open()
        self.find("[name=tool]").send_keys(tool)
        self.press("Call it")

    def field(self, label):
        """The part of the page that holds the field with this label."""
        return self.driver.find_element(By.XPATH, f'//div[@class="field"][label="{label}"]')

    def box(self, label):
        return self.find("input, textarea", self.field(label))

    def held(self, label):
        """What a box holds, or which of its choices are picked."""
        picked = [choice.text for choice in self._choices(label) if self.find("input", choice).is_selected()]
        return picked if self._choices(label) else self.box(label).get_property("value")

    def type(self, label, text):
        box = self.box(label)
        box.clear()
        box.send_keys(text)

    def set(self, label, value):
        """Put into a box what a person picks from a calendar or a clock."""
        self.driver.execute_script("arguments[0].value = arguments[1]", self.box(label), value)

    def pick(self, label, *choices):
        for choice in self._choices(label):
            box = self.find("input", choice)
            if box.is_selected() != (choice.text in choices):
                box.click()

    def _choices(self, label):
        return self.all("label.choice", self.field(label))

    def pick_zone(self, name):
        Select(self.find("select")).select_by_visible_text(name)

    def errors(self):
        """The errors of each field, by its label."""
        fields = {self.find("label", field).text: self.all(".error", field) for field in self.all(".field")}
        return {label: [error.text for error in errors] for label, errors in fields.items() if errors}

    def result(self):
        """What the server heard in each round, once the call is done."""
        (content,) = json.loads(self.text("#result"))["content"]
        return json.loads(content["text"])

    def complaints(self):
        """What the console of the browser said since it was asked last: refused scripts and styles, and errors."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requested(self):
        """The urls that the browser requested since it was asked last, its own pages aside."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
        return {url for url in urls if not url.startswith(("chrome:", "chrome-untrusted:", "data:"))}
