"""The schema's verdict on a payload, and the strict reader for what a schema cannot say: syntax, UTF-8, repeated keys,
depth, and numbers digit by digit. Needs python3-jsonschema."""
import json
import pathlib

import jsonschema

SCHEMA = json.loads((pathlib.Path(__file__).resolve().parent / "notification.schema.json").read_text())
DEPTH_MAX = 64


class Number:
    """A JSON number as it is written, so that no digit of it is lost. Also used to write numbers."""

    def __init__(self, text):
        self.text = text

    def is_integer(self):
        mantissa, _, exponent = self.text.lower().partition("e")
        whole, _, fraction = mantissa.lstrip("-").partition(".")
        digits = (whole + fraction).rstrip("0")
        if not digits.strip("0"):
            return True
        places = len(fraction) - (len(whole + fraction) - len(digits))
        sign = -1 if exponent.startswith("-") else 1
        exponent = exponent.lstrip("+-").lstrip("0") or "0"
        if len(exponent) > 9:
            return sign > 0
        return sign * int(exponent) >= places


class NotJson(Exception):
    pass


class RepeatedKey(Exception):
    pass


def refuse(text):
    raise NotJson(text)


def unique_keys(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise RepeatedKey
    return dict(pairs)


def check_depth_and_strings(value, depth=1):
    if isinstance(value, str):
        value.encode("utf-8")  # a lone surrogate cannot be
    elif isinstance(value, (dict, list)):
        if depth > DEPTH_MAX:
            raise NotJson("nested too deep")
        for key in value if isinstance(value, dict) else ():
            key.encode("utf-8")
        for member in value.values() if isinstance(value, dict) else value:
            check_depth_and_strings(member, depth + 1)


def strict_read(data):
    """The value of the bytes; NotJson or RepeatedKey where there is none."""
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=unique_keys, parse_int=Number, parse_float=Number,
                           parse_constant=refuse)
        check_depth_and_strings(value)
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error
    return value


TYPES = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many({
    "integer": lambda checker, value: isinstance(value, Number) and value.is_integer(),
    "number": lambda checker, value: isinstance(value, Number),
})
Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=TYPES)
VALIDATOR = Validator(SCHEMA)
ENVELOPES = [(branch["title"], Validator(branch["if"])) for branch in SCHEMA["anyOf"]]


def second_opinion(data):
    """(valid, name of the event; None where it is not valid)."""
    try:
        value = strict_read(data)
    except (NotJson, RepeatedKey):
        return False, None
    if not VALIDATOR.is_valid(value):
        return False, None
    name = next(name for name, envelope in ENVELOPES if envelope.is_valid(value))
    if name == "monitored-element-added":
        name += "/" + value["path"].rsplit("/", 1)[1]
    return True, name
