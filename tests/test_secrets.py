"""Fields that ask for a secret and fields that only speak of one, with texts as servers write them."""

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
Not shown to anyone. Enter your password
"""

OTHERS = """
token count|token_count|max_tokens|maxTokens|Max tokens|max_new_tokens|input tokens|output tokens|prompt tokens
context tokens|tokens per minute|number of tokens|total tokens|token limit|token budget|tokens used|tokens left
tokenizer|tokenization|token type|token symbol|token address|tokenId|token_endpoint|token expiry|stop token|stop tokens
end of sequence token|special tokens|ERC-20 token name
password policy|password length|password hint|password expiry|password strength|forgot password?|requires password
has password|password protected|password manager|No password needed|Never share your password here
Do not enter your password|We never ask for a password
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


def test_asks_for_secret_ignores_absent_texts():
    assert not asks_for_secret(None, "", None)


def test_asks_for_secret_reads_only_the_beginning_of_a_long_text():
    assert asks_for_secret("password" + " x" * 5_000)
    assert not asks_for_secret("x " * 5_000 + "password")
