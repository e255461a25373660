"""What a person sees: a program at a pseudo-terminal, and the screen that its bytes make."""

import fcntl
import os
import re
import select
import struct
import termios
import time
import unicodedata

from interactive import DEADLINE, Interactive


class Screen:
    """The part of an xterm that libedit and credhook use: text that wraps, cursor motion, erasing, inserting."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.wraps = False  # the last column is written, and the next character begins a line
        self.rest = ""
        self.styles = []  # (line, numbers) of each change of colour and weight

    def text(self):
        """The lines, without blanks at their ends; empty ones at the bottom are left out."""
        lines = ["".join(line).rstrip() for line in self.lines]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def feed(self, text):
        text, self.rest = self.rest + text, ""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._put(text[at])
                at += 1
                continue
            found = re.compile(r"\x1b(\[[?>]?([0-9;]*)([@-~])|[()].|[=>78M])").match(text, at)
            if not found:
                assert len(text) - at < 16, f"an escape sequence this screen does not know: {text[at:at + 16]!r}"
                self.rest = text[at:]
                return
            if found.group(3):
                self._obey(found.group(3), [int(n or 0) for n in (found.group(2) or "").split(";")])
            at = found.end()

    def _line_feed(self):
        if self.row < self.rows - 1:
            self.row += 1
        else:
            self.lines = self.lines[1:] + [[" "] * self.columns]

    def _put(self, character):
        if character == "\r":
            self.column, self.wraps = 0, False
        elif character == "\n":
            self._line_feed()
            self.wraps = False
        elif character == "\b":
            self.column, self.wraps = max(0, self.column - 1), False
        elif character == "\t":
            self.column = min(self.columns - 1, self.column // 8 * 8 + 8)
        elif character >= " ":
            width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
            if self.wraps or self.column + width > self.columns:
                self.column, self.wraps = 0, False
                self._line_feed()
            self.lines[self.row][self.column] = character
            if width == 2:
                self.lines[self.row][self.column + 1] = ""
            self.column += width
            if self.column >= self.columns:
                self.column, self.wraps = self.columns - 1, True
        else:
            assert character == "\a", f"a control character this screen does not know: {character!r}"

    def _obey(self, what, numbers):
        count = max(1, numbers[0])
        line = self.lines[self.row]
        if what in "ABCDGH":
            self.wraps = False
        if what == "A":
            self.row = max(0, self.row - count)
        elif what == "B":
            self.row = min(self.rows - 1, self.row + count)
        elif what == "C":
            self.column = min(self.columns - 1, self.column + count)
        elif what == "D":
            self.column = max(0, self.column - count)
        elif what == "G":
            self.column = min(self.columns, count) - 1
        elif what == "H":
            self.row, self.column = min(self.rows, count) - 1, max(1, (numbers + [1])[1]) - 1
        elif what == "K":
            start = 0 if numbers[0] else self.column
            line[start:] = [" "] * (self.columns - start)
        elif what == "J":
            first = 0 if numbers[0] else self.row + 1
            if not numbers[0]:
                line[self.column:] = [" "] * (self.columns - self.column)
            for row in range(first, self.rows):
                self.lines[row] = [" "] * self.columns
        elif what == "P":
            del line[self.column:self.column + count]
            line += [" "] * (self.columns - len(line))
        elif what == "@":
            line[self.column:self.column] = [" "] * count
            del line[self.columns:]
        elif what == "m":
            self.styles.append((self.row, numbers))
        else:
            assert what in "hlr", f"a sequence this screen does not know: {what}"


class Seen(Interactive):
    """A program at a terminal whose screen is looked at."""

    def __init__(self, args, env, cwd, columns=80, rows=40):
        super().__init__(args, dict(env, TERM="xterm"), cwd, columns, rows)
        self.screen = Screen(columns, rows)
        self.code = None

    def _read(self, timeout):
        if not select.select([self._fd], [], [], max(0, timeout))[0]:
            return False
        try:
            piece = os.read(self._fd, 65536)
        except OSError:
            piece = b""
        if not piece:
            _, status = os.waitpid(self._pid, 0)
            os.close(self._fd)
            self._pid, self.code = 0, os.waitstatus_to_exitcode(status)
            return False
        self.screen.feed(piece.decode("utf-8", "replace"))
        return True

    def until(self, seen, what="it", timeout=DEADLINE):
        """Reads until seen(screen) holds."""
        end = time.monotonic() + timeout
        while not seen(self.screen):
            if not self._read(end - time.monotonic()) and (self.code is not None or time.monotonic() >= end):
                raise AssertionError(f"{what} is not on the screen:\n" + "\n".join(self.screen.text()))

    def until_text(self, pattern, timeout=DEADLINE):
        """Reads until the pattern is found in what the screen shows; returns the match."""
        found = []

        def seen(screen):
            found[:] = [re.search(pattern, "\n".join(screen.text()), re.MULTILINE)]
            return found[0]
        self.until(seen, repr(pattern), timeout)
        return found[0]

    def until_last(self, pattern, timeout=DEADLINE):
        """Until the last line of the screen, where it is typed, matches as a whole (blanks at its end aside)."""
        self.until(lambda screen: screen.text() and re.fullmatch(pattern, screen.text()[-1]), repr(pattern), timeout)

    def until_cooked(self, timeout=DEADLINE):
        """Until the terminal is as a command finds it, and no longer raw for the editing of a line."""
        end = time.monotonic() + timeout
        while not termios.tcgetattr(self._fd)[3] & termios.ICANON:
            assert time.monotonic() < end, "the terminal stays raw:\n" + "\n".join(self.screen.text())
            self._read(0.01)

    def until_end(self, timeout=DEADLINE):
        """Until it has ended; returns its exit code."""
        end = time.monotonic() + timeout
        while self.code is None:
            if not self._read(end - time.monotonic()) and self.code is None and time.monotonic() >= end:
                raise AssertionError("it does not end:\n" + "\n".join(self.screen.text()))
        return self.code

    def resize(self, columns, rows):
        """Another size; what the screen shows from then on begins empty."""
        self.screen = Screen(columns, rows)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def signal(self, number):
        os.kill(self._pid, number)
