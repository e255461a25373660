"""Payloads for second_opinion_test.py, made from the schema and never by credhook.

Each group yields (what, bytes): one line of NDJSON each. Which of them are valid is not said here, but by the schema.
"""
import copy
import json
import random
import re

from opinion import SCHEMA, Number


class Object(list):
    """A JSON object to be written: [key, value] pairs, in any order, and a key may stand twice."""

    def __init__(self, pairs=()):
        super().__init__([key, value] for key, value in pairs)

    def find(self, key):
        return next(index for index, pair in enumerate(self) if pair[0] == key)

    def get(self, key):
        return self[self.find(key)][1]

    def set(self, key, value):
        self[self.find(key)][1] = value


def write(value):
    if isinstance(value, Number):
        return value.text
    if isinstance(value, Object):
        return "{" + ",".join(write(key) + ":" + write(member) for key, member in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value, ensure_ascii=isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value))


def data_of(value):
    return write(value).encode("utf-8")


def members(value):
    """(object, index) of every member, at every depth, in document order. The same for a copy of the value."""
    if isinstance(value, Object):
        for index, pair in enumerate(value):
            yield value, index
            yield from members(pair[1])
    elif isinstance(value, list):
        for element in value:
            yield from members(element)


UUID = "01234567-89ab-cdef-0123-456789abcdef"
LONG = "9" * 5000

# Values that the schema's definitions allow: the first makes the plain payload, all of them make variants of it.
GOOD = {
    "uuid": [UUID, UUID.upper(), "01234567-89AB-cdef-0123-456789ABCDEF", "00000000-0000-0000-0000-000000000000",
             "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "text": ["some text", "", " ", "0", "true", "\u00e9\u4e2d\U0001f600", "a\nb\t\u0000\u001f\u007f\"\\/", "x" * 9000,
             "<script>", "null"],
    "booleanText": ["true", "false"],
    "integerText": ["-15", "+5", "5", "0", "+0", "-0", "007", "-" + LONG],
    "integer": [Number(text) for text in ("15", "0", "-3", "-0", "15.0", "1e3", "1E+3", "1.50e1", "10e-1", "-0.0e-7",
                                          "2147483648", "18446744073709551616", LONG, "1e400", "0e-999999999999",
                                          "1e99999999999999999999")],
    "address": [Object([("street", "1 Main St"), ("city", "Springfield"), ("state", "IL"), ("zip", "62701")])],
    "scoreModifiers": [Object([("onTimePayments", Number("6"))]), Object(), Object([("", None)]),
                       Object([("a", Object([("appKey", False)])), ("b", [Number("1.5"), "x", None])])],
    "alertDetails": [Object([("disputeStatus", "Submission")]),
                     Object([("reference", Number("1.5")), ("disputeStatus", "Completion"), ("clientKey", None)])],
    "disputeStatus": ["Submission", "Completion"],
}

# What is put in the place of every value. Nothing says here which of them are right where: that is the schema's part.
ANYTHING = [
    None, True, False, [], Object(), ["some text"], [UUID], [Object()], Object([("disputeStatus", "Submission")]),
    Object([("street", "s"), ("city", "c"), ("state", "s"), ("zip", Number("62701"))]), Object([("a", Number("1"))]),
    *[Number(text) for text in ("0", "15", "-3", "15.0", "1e3", "1E-0", "10e-1", "1.5", "-1.5", "1e-1", "15e-1",
                                "1.5e0", "1.05e1", "1e-400", "1.00000000000000000000000001", "200", "201",
                                "9223372036854775808", "-" + LONG, "1e400", "1e-99999999999999999999")],
    "", " ", "some text", "\u00e9", "\u0000", "null",
    "true", "false", "True", "TRUE", "False", "true ", " true", "true\n", "\"true\"", "1", "0", "yes", "truefalse",
    "15", "+5", "-5", "+-5", "5+", "+", "-", "5.0", "1e3", "0x10", " 5", "5 ", "5\n", "\n5", "1,000", "\u0665",
    "\uff15", "\u22125", "5\u0000", "0-5",
    UUID, UUID.upper(), UUID[:-1], UUID + "0", UUID + "\n", " " + UUID[1:], UUID + " ", "{" + UUID + "}",
    "urn:uuid:" + UUID, UUID.replace("-", ""), UUID.replace("-", "_"), UUID.replace("a", "g"), UUID + "\u0000",
    "\u0660" + UUID[1:], "\uff10" + UUID[1:], "0123456-789ab-cdef-0123-456789abcdef1"[:36], UUID[:35] + "\u00e9",
    "012345678-9ab-cdef-0123-456789abcdef", "-" * 36, UUID + UUID,
    "Submission", "Completion", "submission", "COMPLETION", "Submission ", "Submission\n", "Submissio", "Completions",
    "<FIRST_NAME>",
]

NEAR_PATHS = ["api/user/v2", "/user/v2", "/API/user/v2", "/api/user/v2/", "/api/user/v2?x=1", "/api//user/v2",
              "/api/user/v1", "/api/user/v2\n", "/api/", "/", "/monitor/v2", "/monitor/v2/idp/email",
              "/api/monitor/v2/idp/email", "/api/monitoring/v2/idp", "/api/monitoring/v2/idp/", "/api/authenticate",
              "/api/monitoring/v2/idp/<element_path>", "/api/monitoring/v2/idp/Email", "/api/monitoring/v2/idp/email/",
              "/api/monitoring/v2/idp/emails", "/api/monitoring/v2/idp/medicalid", "/api/monitoring/v2/idp/email/ssn",
              "/api/disputes/v2/abc", "/api/report/v2/score", "push", "/api/monitoring/v2/idp/monitor"]
NEAR_ENVELOPE = {
    "service": ["users", "User", "user ", "score_simulator", "monitor", "alert", "push", "disputes"],
    "event": ["202", "2e2", "200 ", " 200", "0200", "+200", "20", "Push", "200\n", "\uff12\uff10\uff10", "OK"],
    "method": ["POST", "Get", "head", "post ", "post\u0000", "put\n", "options", "PUSH"],
    "path": NEAR_PATHS,
}


def sample(definition, which=0):
    return copy.deepcopy(GOOD[definition][which % len(GOOD[definition])])


def plain_payloads():
    """[(name, payload, {details key: definition})] of every event and element, as the schema's branches have them."""
    plain = []
    for branch in SCHEMA["anyOf"]:
        envelope = {key: value.get("enum", [value.get("const")]) for key, value in branch["if"]["properties"].items()}
        details = branch["then"]["properties"]["details"]
        if "$ref" in details:
            details = SCHEMA["$defs"][details["$ref"].rsplit("/", 1)[1]]
        kinds = {key: value["$ref"].rsplit("/", 1)[1] for key, value in details["properties"].items()}
        for path in envelope.get("path", [None]):
            payload = Object((key, envelope[key][0]) for key in ("service", "event", "method"))
            if path:
                payload.append(["path", path])
            payload.append(["details", Object((key, sample(kinds[key])) for key in details["required"])])
            several = len(envelope.get("path", ())) > 1
            plain.append((branch["title"] + ("/" + path.rsplit("/", 1)[1] if several else ""), payload, kinds))
    return plain


PLAIN = plain_payloads()


def changed(payload, number, change):
    """A copy in which change(object, index) was called for the number-th member."""
    payload = copy.deepcopy(payload)
    change(*list(members(payload))[number])
    return payload


def numbered_members(payload):
    return [(number, holder[index][0], holder[index][1]) for number, (holder, index) in enumerate(members(payload))]


def plain_group():
    for name, payload, _ in PLAIN:
        yield name, data_of(payload)


def good_values_group():
    """Valid ones, with every good value of every key, and with keys in other orders and unknown ones added."""
    shuffler = random.Random(1)
    for name, payload, kinds in PLAIN:
        for key, definition in kinds.items():
            for which in range(len(GOOD[definition])):
                variant = copy.deepcopy(payload)
                variant.get("details").set(key, sample(definition, which))
                yield f"{name}: {key} good value {which}", data_of(variant)
        for value in (None, Number("1.5"), "x", Object([("appKey", None)]), [[]]):
            variant = copy.deepcopy(payload)
            variant.append(["unknown", value])
            for holder, index in list(members(variant)):
                if isinstance(holder[index][1], Object) and holder[index][0] != "unknown":
                    holder[index][1].append(["unknown", value])
            for holder in [variant] + [h[i][1] for h, i in list(members(variant)) if isinstance(h[i][1], Object)]:
                shuffler.shuffle(holder)
            yield f"{name}: shuffled, with unknown keys", data_of(variant)
        text = json.dumps(json.loads(write(payload)), separators=(" ,\t", " : ")).replace("{", "\t{ ")
        yield f"{name}: white space", b" " + text.encode() + b"\t "
        escaped = re.sub("[A-Za-z/]", lambda match: f"\\u{ord(match[0]):04x}", write(payload))
        yield f"{name}: escapes", escaped.encode()


def removed_group():
    for name, payload, _ in PLAIN:
        for number, key, _ in numbered_members(payload):
            yield f"{name}: without {key}", data_of(changed(payload, number, lambda o, i: o.pop(i)))


def renamed_group():
    for name, payload, _ in PLAIN:
        for number, key, _ in numbered_members(payload):
            for near in (key.upper(), key.lower(), key[:-1], key + "s", key + " ", key + "\u0000",
                         "details." + key, ""):
                if near != key:
                    yield f"{name}: {key} named {near!r}", data_of(
                        changed(payload, number, lambda o, i, near=near: o[i].__setitem__(0, near)))


def replaced_group():
    """Every value in the place of each member, in the first payload that has it; in the others, whose envelopes are a
    group of their own, a sixth of them, another one each time."""
    met = set()
    for position, (name, payload, _) in enumerate(PLAIN):
        for number, key, _ in numbered_members(payload):
            pool = ANYTHING[position % 6::6] if key in met else ANYTHING
            met.add(key)
            for value in pool:
                yield f"{name}: {key} replaced", data_of(
                    changed(payload, number, lambda o, i, value=value: o[i].__setitem__(1, value)))


def envelope_group():
    """Every envelope with each value of every other one, and with values that are nearly right."""
    values = {key: sorted({p.get(key) for _, p, _ in PLAIN if any(pair[0] == key for pair in p)}) + near
              for key, near in NEAR_ENVELOPE.items()}
    for name, payload, _ in PLAIN:
        for key in values:
            for value in values[key]:
                variant = copy.deepcopy(payload)
                if any(pair[0] == key for pair in variant):
                    variant.set(key, value)
                else:
                    variant.insert(3, [key, value])  # a path for an alert
                yield f"{name}: {key} {value!r}", data_of(variant)
        if name == "bureau-alert":
            for value in ANYTHING:
                yield f"{name}: with a path", data_of(Object([*payload, ("path", value)]))


def swapped_group():
    for name, payload, _ in PLAIN:
        for other_name, other, _ in PLAIN:
            variant = copy.deepcopy(payload)
            variant.set("details", other.get("details"))
            yield f"{name}: details of {other_name}", data_of(variant)


def repeated_group():
    """A key twice is an error whichever value is right; also where the two are spelt differently."""
    for name, payload, _ in PLAIN:
        for number, key, value in numbered_members(payload):
            for other in (value, None, "other"):
                for place in (0, 99):
                    yield f"{name}: {key} twice", data_of(
                        changed(payload, number, lambda o, i, other=other, place=place: o.insert(place, [key, other])))
        text = write(payload)
        yield f"{name}: service twice, once escaped", text.replace('"service"', '"\\u0073ervice":"","service"').encode()
        yield f"{name}: unknown key twice", text.replace("{", '{"x":1,"x":1,', 1).encode()
    alert = write(PLAIN[-1][1])
    score = write(next(payload for name, payload, _ in PLAIN if name == "credit-score-simulated"))
    yield "open object with a key twice", alert.replace('"disputeStatus"', '"a":1,"a":2,"disputeStatus"').encode()
    yield "score modifier twice", score.replace('"onTimePayments"', '"onTimePayments":0,"onTimePayments"').encode()
    yield "a key twice deep inside", score.replace('"onTimePayments":6', '"a":[{"b":{"c":1,"c":1}}]').encode()


def text_group():
    """Text that is no JSON, or nearly: what a lenient reader would let pass."""
    text = write(PLAIN[0][1])
    for before, after in (("", "x"), ("", ","), ("", "{}"), ("", "\u00a0"), ("\ufeff", ""), ("\u00a0", ""), ("[", "]"),
                          ("[", ""), ("", "]"), ("\f", ""), ("", "\v"), ("", "\u0000"), ("//\t", ""), ("", "#x"),
                          ("\"", "\""), ("/**/", ""), ("", " "), ("\t", "\r"), (")]}',", ""), ("", ";")):
        yield "text around", (before + text + after).encode()
    for inner in (text[:-1], text[1:], text.replace(":", "=", 1), text.replace('"', "'"),
                  text.replace('"service"', "service"), text[:-1] + ",}", text.replace(",", ",,", 1),
                  "null", "true", "15", '"x"', "[]", "{}", "[[]]", "[{}]",
                  "nul", "-", "\"", "{", "}", "{]", "\u0000", "NaN", "{\"a\"}", "{1:2}", "{null:1}"):
        yield "text", inner.encode()
    for value in ("NaN", "Infinity", "-Infinity", "-", "01", "-01", "1.", ".5", "+1", "1e", "1e+", "0x1", "1_0", "--1",
                  "1.e1", "TRUE", "tru", "undefined", "'x'", '"\\x"', '"\\u12"', '"\\u123g"', '"\\ud800"', '"\\udc00"',
                  '"\\"', '"\\ud800\\u0041"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\/"', '"\\u0000"', '"\t"',
                  '"\u007f"', '"\u2028"', "[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{\"a\" 1}", "{,}", '"\\U0041"',
                  "", "1 1", '"a" "b"', "0.0", "-0", "1e999", "\"\\ud800\":1"):
        yield f"unknown key {value}", text.replace("{", '{"x":' + value + ",", 1).encode()
    for raw in (b"\x80", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xed\xbf\xbf",
                b"\xf8\x88\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\x1f",
                b"\x00", b"\xef\xbf\xbf", b"\xf4\x8f\xbf\xbf", b"\xee\x80\x80", b"\xef\xbb\xbf"):
        yield f"raw {raw!r} in a value", text.encode().replace(b"some text", raw, 1)
        yield f"raw {raw!r} in a key", text.encode().replace(b"{", b'{"' + raw + b'":1,', 1)
    for depth in (62, 63, 64, 65, 200):
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            inner = opening * (depth - 1) + ("1" if opening != "[" else "") + closing * (depth - 1)
            yield f"{depth} deep", text.replace("{", '{"x":' + inner + ",", 1).encode()


def mutate_member(rng, payload):
    holder, index = rng.choice(list(members(payload)) or [(payload, None)])
    if index is None:
        return
    key, value = holder[index]
    other_holder, other_index = rng.choice(list(members(payload)))
    choice = rng.randrange(10)
    if choice == 0:
        del holder[index]
    elif choice == 1:
        holder[index][1] = copy.deepcopy(rng.choice(ANYTHING))
    elif choice == 2:
        holder[index][1] = copy.deepcopy(rng.choice(rng.choice(list(GOOD.values()))))
    elif choice == 3:
        holder[index][0] = rng.choice([key.swapcase(), key[1:], key + "x", other_holder[other_index][0]])
    elif choice == 4:
        holder.insert(rng.randrange(len(holder) + 1), [rng.choice([key, "unknown", "path"]), copy.deepcopy(value)])
    elif choice == 5:
        rng.shuffle(holder)
    elif choice == 6:
        swap = copy.deepcopy(other_holder[other_index][1])
        other_holder[other_index][1] = copy.deepcopy(value)
        holder[index][1] = swap
    elif choice == 7:
        payload.append(holder.pop(index))
    elif choice == 8 and isinstance(value, str) and value:
        at = rng.randrange(len(value))
        holder[index][1] = value[:at] + rng.choice(["", value[at] * 2, "0", "-", " ", "G", "\n"]) + value[at + 1:]
    elif choice == 9:
        _, other, _ = rng.choice(PLAIN)
        payload.append(copy.deepcopy(rng.choice(other)))


PIECES = [b'"', b"{", b"}", b"[", b",", b":", b"\\", b" ", b"0", b"\xff", b"\r"]


def mutate_bytes(rng, data):
    at = rng.randrange(len(data))
    choice = rng.randrange(5)
    if choice == 0:
        return data[:at]
    if choice == 1:
        return data[:at] + data[at + 1:]
    if choice == 2:
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1:]
    if choice == 3:
        return data[:at] + rng.choice(PIECES) + data[at:]
    end = at + rng.randrange(1, 40)
    return data[:end] + data[at:]


def random_group(seed, count):
    rng = random.Random(seed)
    for number in range(count):
        name, payload, _ = rng.choice(PLAIN)
        payload = copy.deepcopy(payload)
        for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
            mutate_member(rng, payload)
        data = data_of(payload)
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            data = mutate_bytes(rng, data).replace(b"\n", b" ")
            if not data.strip():
                data = b"?"  # a blank line would be skipped, not judged
        yield f"mutation {number} of {name}", data


def groups(seed, mutations):
    return {
        "plain": plain_group(), "good-values": good_values_group(), "removed": removed_group(),
        "renamed": renamed_group(), "replaced": replaced_group(), "envelope": envelope_group(),
        "swapped": swapped_group(), "repeated": repeated_group(), "text": text_group(),
        "random": random_group(seed, mutations),
    }
