"""Inputs that are too long, too deep, or endless: a clear verdict, in bounded memory."""
# rooms: base cmd/validate json payload

import json
import resource
import subprocess

from measured import measured
from support import SANITIZE, Skip, binary, credhook, environment, kinds, new_folder, run

MIB = 1 << 20
LIMIT = 64 * MIB  # of one payload
EVENT = "bureau-alert"


def payload():
    return credhook("build", EVENT, "--seed", "1").expect(0).out_bytes


def write_padded(path, text, length):
    """A payload made `length` bytes long by white space behind its opening brace, and a newline."""
    with open(path, "wb") as file:
        file.write(text[:1])
        for _ in range((length - len(text)) // MIB):
            file.write(b" " * MIB)
        file.write(b" " * ((length - len(text)) % MIB) + text[1:] + b"\n")


def test_a_line_of_100_mb_is_too_long_in_every_form():
    def endless():
        yield b'{"service":"'
        for _ in range(100):
            yield b"x" * MIB

    path = new_folder() / "long.json"
    with open(path, "wb") as file:
        for block in endless():
            file.write(block)
    for args in ((path,), ("--lines", path)):
        result = credhook("validate", *args).expect(1)
        assert result.out.count("[too-long]") == 1 and f"{path}:1:1: error:" in result.out, result
        assert "1 payload: 0 valid, 1 invalid (1 too-long)" in result.err, result
    code, out, err, held, _ = measured("validate", "--json", "-", feed=endless)
    assert code == 1 and out.count(b'"finding":"too-long"') == 1 and b"1 invalid" in err, (code, out, err)
    if not SANITIZE:
        assert held < 160, f"{held} MiB"


def test_a_line_of_100_mb_that_is_no_json_is_no_more_than_too_long():
    def zeros():
        for _ in range(100):
            yield b"\0" * MIB

    code, out, *_ = measured("validate", "-", feed=zeros)
    assert code == 1 and out.count(b"error:") == 1 and b"[too-long]" in out, (code, out)


def test_a_payload_one_byte_over_the_limit_costs_its_own_line_only():
    text = payload().rstrip(b"\n")
    path = new_folder() / "two.ndjson"
    write_padded(path, text, LIMIT + 1)
    with open(path, "ab") as file:
        file.write(text + b"\n")
    result = credhook("validate", "--json", path).expect(1)
    first, second = result.json()
    assert first["valid"] is False and [f["finding"] for f in first["findings"]] == ["too-long"], result
    assert second["valid"] is True and second["line"] == 2 and second["event"] == EVENT, result


def test_a_payload_of_exactly_the_limit_is_judged():
    text = payload().rstrip(b"\n")
    path = new_folder() / "one.ndjson"
    write_padded(path, text, LIMIT)
    result = credhook("validate", "--json", path).expect(0)
    assert [(v["valid"], v["event"], v["findings"]) for v in result.json()] == [(True, EVENT, [])], result


def test_nesting_is_judged_up_to_64():
    plain = payload().decode().rstrip("\n")

    def nested(depth):
        """A payload whose alertDetails hold arrays, so that `depth` containers are open at once."""
        levels = depth - 3
        return plain.replace('"alertDetails":{', '"alertDetails":{"x":' + "[" * levels + "]" * levels + ",")

    assert credhook("validate", "-", stdin=nested(64)).expect(0).out == ""
    result = credhook("validate", "-", stdin=nested(65)).expect(1)
    column = nested(65).index("[") + 62
    assert f"<stdin>:1:{column}: error: nesting deeper than 64 [json-syntax]" in result.out, result
    # A lot deeper: no stack is used up.
    result = credhook("validate", "-", stdin="[" * MIB + "]" * MIB).expect(1)
    assert "<stdin>:1:65: error:" in result.out and result.out.count("[json-syntax]") == 1, result
    result = credhook("validate", "--lines", "-", stdin='{"a":' * MIB).expect(1)
    assert result.out.count("[json-syntax]") == 1, result


def test_many_findings_in_one_payload_stay_readable():
    text = payload().decode().rstrip("\n")
    extra = ",".join(f'"k{number}":1' for number in range(20000))
    result = credhook("validate", "--json", "-", stdin=text[:-1] + "," + extra + "}").expect(0)
    findings = result.json()[0]["findings"]
    assert len(findings) == 1000 and result.json()[0]["unlisted"] == 19000, len(findings)


def test_memory_is_nine_times_the_longest_line_at_most():
    """What man/credhook-validate.1 says, on the text that takes most: a token for every two bytes."""
    if SANITIZE:
        raise Skip("the sanitizers hold memory of their own")
    for start in (b'{"v":', b'{"details":'):
        def line(start=start):
            yield start + b"[1" + b",1" * (10 * MIB - 20) + b"]}\n"

        code, out, err, held, _ = measured("validate", "-q", "--lines", "-", feed=line)
        assert code == 1 and b"[missing-key]" in out, (code, out, err)
        assert held < 9 * 20 + 24, f"{start}: {held} MiB"


def test_building_much_holds_little():
    if SANITIZE:
        raise Skip("sanitizers hold memory of their own")
    code, out, _, held, _ = measured("build", "all", "--seed", "1", "--count", "2000")
    assert code == 0 and out.count(b"\n") == 2000 * len(kinds()), (code, out.count(b"\n"))
    assert held < 32, f"{held} MiB"


def test_a_patch_of_many_members_is_no_work():
    """What takes n * n steps is not done before the deadline."""
    path = new_folder() / "patch.json"
    for count, more in (200_000, ()), (30_000, ("--variants",)):
        path.write_text(json.dumps({"details": {"alertDetails": {f"key{i}": i for i in range(count)}}}))
        result = credhook("build", EVENT, "--merge", path, *more, timeout=120 if SANITIZE else 20).expect(0)
        assert any(f'"key{count - 1}":' in line for line in result.out.splitlines()), more


def test_a_file_that_may_not_grow_is_an_error():
    """Past `ulimit -f` a write fails as on a full disk, and no half file is left."""
    folder = new_folder()
    result = subprocess.run([binary(), "build", "all", "--seed", "1", "-o", f"{folder}/out/"], env=environment(),
                            capture_output=True, check=False,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
    assert result.returncode == 3 and b"cannot write" in result.stderr, result
    assert list((folder / "out").iterdir()) == []


if __name__ == "__main__":
    run()
