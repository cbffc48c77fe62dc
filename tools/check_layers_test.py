"""What tools/check_layers.py lets through and what it names."""

import unittest

import check_layers

LAYERS = """
core : | fmt posix
core/deep : core |
facts : core | fmt
api : core facts | fmt
"""


class CheckLayers(unittest.TestCase):
    def setUp(self):
        self.layers, problems = check_layers.parse_layers(LAYERS)
        self.assertEqual(problems, [])

    def check(self, path, *lines):
        return check_layers.check_file(path, "\n".join(lines), self.layers)

    def test_allowed(self):
        lines = ['#include "nameplate/core/a.h"', "#include <vector>", "#include <fmt/format.h>"]
        self.assertEqual(self.check("nameplate/facts/x.cc", *lines), [])

    def test_upward(self):
        self.assertEqual(
            self.check("nameplate/core/x.h", "// a comment", '#include "nameplate/facts/run.h"'),
            ["nameplate/core/x.h:2: core may not include facts"],
        )

    def test_longest_folder_counts(self):
        self.assertEqual(
            self.check("nameplate/core/deep/x.h", "#include <fmt/core.h>"),
            ["nameplate/core/deep/x.h:1: core/deep may not include fmt"],
        )

    def test_tests_may_include_gtest_and_no_more(self):
        lines = ["#include <gtest/gtest.h>", "#include <unistd.h>"]
        self.assertEqual(
            self.check("nameplate/facts/x_test.cc", *lines),
            ["nameplate/facts/x_test.cc:2: facts may not include posix"],
        )
        self.assertEqual(
            self.check("nameplate/facts/x.cc", lines[0]), ["nameplate/facts/x.cc:1: facts may not include gtest"]
        )

    def test_programs_see_every_folder(self):
        lines = ['#include "nameplate/api/a.h"', "#include <gtest/gtest.h>", "#include <re2/re2.h>"]
        lines.append('#include "tests/field/y.h"')
        self.assertEqual(self.check("tests/field/x_test.cc", *lines), ["tests/field/x_test.cc:3: tests may not include re2"])

    def test_unknown(self):
        self.assertIn("unknown third-party header <foo/bar.h>", self.check("nameplate/core/x.h", "#include <foo/bar.h>")[0])
        self.assertIn("in no folder of LAYERS", self.check("nameplate/core/x.h", '#include "nameplate/new/x.h"')[0])
        self.assertIn("not in LAYERS", self.check("nameplate/new/x.h")[0])
        self.assertIn("included from the root", self.check("nameplate/core/x.h", '#include "a.h"')[0])

    def test_layers_itself(self):
        problems = check_layers.parse_layers("facts : core |\ncore : | fmt nosuch\nnonsense\n")[1]
        self.assertEqual(len(problems), 3)
        self.assertEqual(problems[0], "LAYERS:1: facts names core, which is not a folder above it")


if __name__ == "__main__":
    unittest.main()
