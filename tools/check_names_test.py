"""What tools/check_names.py calls a clash."""

import unittest

import check_names


class CheckNames(unittest.TestCase):
    def test_a_clash(self):
        files = {"a.h": "struct Load {\n};", "b.h": "\nenum class Load { one };"}
        self.assertEqual(check_names.clashes(files), ["Load: a.h:1 b.h:2"])

    def test_declarations_and_members_are_none(self):
        files = {"a.h": "struct Load {\n};", "b.h": "struct Load;\nclass B {\n  struct Load {\n  };\n};"}
        self.assertEqual(check_names.clashes(files), [])

    def test_bases_and_underlying_types(self):
        files = {"a.h": "class Load : public Base {", "b.h": "enum class Load : char {"}
        self.assertEqual(check_names.clashes(files), ["Load: a.h:1 b.h:1"])


if __name__ == "__main__":
    unittest.main()
