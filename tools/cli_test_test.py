"""How tools/cli_test.py reads a story and compares output."""

import unittest

import cli_test


class CliTest(unittest.TestCase):
    def test_split(self):
        story = "Prose.\n\n  $ nameplate a\n  one\n\n  two\n\nMore prose.\n  $ nameplate b\n"
        self.assertEqual(
            cli_test.split_story(story),
            ["Prose.", "", ["nameplate a", ["one", "", "two", ""]], "More prose.", ["nameplate b", []]],
        )

    def test_matches(self):
        self.assertTrue(cli_test.matches(["a", "..."], ["a", "b", "c"]))
        self.assertTrue(cli_test.matches(["a", "...", "c"], ["a", "c"]))
        self.assertTrue(cli_test.matches(["...", "b", "...", "b"], ["b", "x", "b"]))
        self.assertFalse(cli_test.matches(["...", "b"], ["b", "c"]))
        self.assertFalse(cli_test.matches(["a"], ["a", "b"]))
        self.assertFalse(cli_test.matches(["a", "b"], ["a"]))

    def test_run(self):
        self.assertEqual(cli_test.run("echo out; echo error >&2; exit 2", "."), ["out", "error", "[exit 2]"])


if __name__ == "__main__":
    unittest.main()
