"""Fields that ask for a secret and fields that only speak of one, with texts as servers write them."""

from typing import Any

import pytest

from toolnexus_mrtr import Form
from toolnexus_mrtr._forms._secrets import asks_for_secret

SECRETS = """
password|Password|passwd|pwd|user_password|newPassword|new_password|current password|confirm password|db_password
Wi-Fi password|one-time password|password_confirmation|Your password|Password (min 8 characters)
Please enter your password|connection string password|passphrase|Pass phrase|passcode
api_key|apiKey|API key|APIKey|api-key|apikey|X-Api-Key|OPENAI_API_KEY|new API key|master key|account key
secret_key|AWS secret access key|aws_secret_access_key|private key|privateKey|SSH key|ssh private key|signing key
encryption key|license key
token|access_token|accessToken|Access Token|GitHub personal access token|bearer token|refresh_token|session token
auth_token|OAuthToken|id_token|reset token|Your API token for deployment|jwt|JWT token|SAS token
secret|client_secret|clientSecret|webhook secret|shared secret|credential|AWS credentials
PIN|pin code|PIN number|Enter your PIN|OTP|2FA code|MFA code|authenticator code|backup code|recovery code
verification code|one-time code|security code|login code|authorization code|TOTP secret
Enter the code from your authenticator app|The code we texted you
seed phrase|recovery phrase|mnemonic phrase|security answer|mother's maiden name
card number|cardNumber|credit card|creditCardNumber|debit card number|CVV|cvc|cvv2|card security code
IBAN|bank account|bank account number|account number|routing number|ssn|SSN|social security number|passport number
Not shown to anyone. Enter your password|No spaces: password|No spam, just enter your password|No one sees your PIN
Never share it but paste your API key|Without it no deploy; token|Do not reuse the old password, type a new password
"""

OTHERS = """
token count|token_count|max_tokens|maxTokens|Max tokens|max_new_tokens|input tokens|output tokens|prompt tokens
context tokens|tokens per minute|number of tokens|total tokens|token limit|token budget|tokens used|tokens left
tokenizer|tokenization|token type|token symbol|token address|tokenId|token_endpoint|token expiry|stop token|stop tokens
end of sequence token|special tokens|ERC-20 token name
password policy|password length|password hint|password expiry|password strength|forgot password?|requires password
has password|password protected|password manager|No password needed|Never share your password here
Do not enter your password|We never ask for a password
Please no phone number, PIN or other private data|No names, no account number|Please enter a name, no password
Without phone number or password|Do not include a phone number, a PIN or a password|Enter no password
key|keys|primary key|primary_key|foreign key|sort key|partition key|public key|cache key|piano key|key takeaways
keyboard|keywords|keyword|monkey|turkey|hockey|API key name|api_key_name|API key id
map pin|pin location|pin this post|pin_to_top|pin color|pinned|spin|number of pins|bowling pins|PIN length|opinion
secretary|secret santa|Secret Santa budget|secrets manager|secret name|secret path|credential type|credentials file
author|authors|authority|passport expiry|passport country|passenger|compass|bypass|pass rate|boarding pass|ski pass
cardinal|postcard|scorecard|business card|card holder|card type|card expiry|credit card type
account|account name|account type|account balance|service account email|phone number|order number
session|session_id|country code|postal code|zip code|area code|dress code|source code|error code|code
access level|accessibility|license plate|private|is_private|email|name|username|otp provider|security question
"""


def entries(table: str) -> list[str]:
    return [entry for line in table.strip().splitlines() for entry in line.split("|")]


@pytest.mark.parametrize("words", entries(SECRETS))
def test_asks_for_secret_recognises_the_names_of_secrets(words):
    assert asks_for_secret(words)


@pytest.mark.parametrize("words", entries(OTHERS))
def test_asks_for_secret_passes_names_that_only_speak_of_secrets(words):
    assert not asks_for_secret(words)


@pytest.mark.parametrize("place", ["name", "title", "description"])
def test_field_sensitive_looks_at_name_title_and_description(place):
    words = {"name": "value", "title": "Value", "description": "A value."} | {place: "API key"}
    schema = {"properties": {words.pop("name"): {"type": "string"} | words}}
    assert [field.sensitive for field in Form.of(schema).fields] == [True]


def test_field_sensitive_is_false_for_booleans_and_choices():
    schema = {
        "properties": {
            "password": {"type": "boolean"},
            "token": {"enum": ["a", "b"]},
            "credentials": {"type": "array", "items": {"enum": ["a"]}},
        }
    }
    assert not any(field.sensitive for field in Form.of(schema).fields)


def sensitive(schema: dict[str, Any], message: str | None = None) -> list[str]:
    return [field.name for field in Form.of(schema, message=message).fields if field.sensitive]


VALUE: dict[str, Any] = {"properties": {"value": {"type": "string", "title": "Value"}}}


def test_field_sensitive_of_the_only_field_goes_by_the_message_of_the_form():
    assert sensitive(VALUE) == []
    assert sensitive(VALUE, "Please paste your API key") == ["value"]
    assert sensitive(VALUE, "Please no phone number, PIN or other private data") == []


@pytest.mark.parametrize("place", ["title", "description"])
def test_field_sensitive_of_the_only_field_goes_by_title_and_description_of_the_form(place):
    assert sensitive(VALUE | {place: "Your API key"}) == ["value"]


@pytest.mark.parametrize("kind", [{"type": "integer"}, {"type": "number"}, {"type": "array"}])
def test_field_sensitive_goes_by_the_message_for_the_only_field_that_is_typed_into(kind):
    fields = {"remember": {"type": "boolean"}, "where": {"enum": ["a"]}, "value": kind, "list": {"type": "object"}}
    assert sensitive({"properties": fields}, "Your PIN") == ["value"]


def test_field_sensitive_of_one_of_two_fields_does_not_go_by_the_message():
    assert sensitive({"properties": {"a": {"type": "string"}, "b": {"type": "number"}}}, "Your PIN") == []
    assert sensitive({"properties": {"a": {"type": "boolean"}}}, "Your PIN") == []


@pytest.mark.parametrize("message", [5, b"x", ["x"]])
def test_form_of_takes_only_a_str_as_message(message):
    with pytest.raises(TypeError, match="^message must be a str"):
        Form.of(VALUE, message=message)


def test_asks_for_secret_ignores_absent_texts():
    assert not asks_for_secret(None, "", None)


def test_asks_for_secret_reads_only_the_beginning_of_a_long_text():
    assert asks_for_secret("password" + " x" * 5_000)
    assert not asks_for_secret("x " * 5_000 + "password")
