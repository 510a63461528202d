#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/check-layers finds each kind of violation: seeded into a small tree that is otherwise clean."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK_LAYERS = Path(__file__).resolve().parents[2] / "scripts" / "check-layers"
SPDX = "// SPDX-License-Identifier: MIT\n"

ARCHITECTURE = """# Tree
| folder | level | may include | what it is |
|---|---|---|---|
| `base` | 0 | | words |
| `wire` | 1 | base | frames |
| `actors` | 2 | base, wire | actors |

| library | includes | folders | allowed in headers that other folders see |
|---|---|---|---|
| Json | `json/` | wire | `json/fwd.hpp` |
| Vterm | `vterm.h` | base | |
"""

CLEAN_TREE = {
    "docs/ARCHITECTURE.md": ARCHITECTURE,
    "base/CMakeLists.txt": "troupe_module(base SOURCES word.cpp)\n",
    "base/word.hpp": SPDX + "#pragma once\n#include <string>\n",
    "base/word.cpp": SPDX + '#include "base/word.hpp"\n\n#include <sys/types.h>\n#include <vterm.h>\n',
    "wire/CMakeLists.txt": "troupe_module(wire SOURCES frame.cpp PUBLIC_DEPS troupe::base)\n",
    "wire/frame.hpp": SPDX + '#pragma once\n#include "base/word.hpp"\n#include <json/fwd.hpp>\n',
    "wire/frame.cpp": SPDX + '#include "wire/frame.hpp"\n\n#include <json/json.hpp>\n',
    "actors/CMakeLists.txt": "troupe_module(actors SOURCES a.cpp PUBLIC_DEPS troupe::wire)\n",
    "actors/a.cpp": SPDX + '#include "wire/frame.hpp"\n',
}


def check(changes):
    """Exit status and output of check-layers on the clean tree with `changes` laid over it."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**CLEAN_TREE, **changes}.items():
            path = Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, CHECK_LAYERS, root], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class CheckLayers(unittest.TestCase):
    def assert_found(self, changes, *wanted):
        status, output = check(changes)
        self.assertEqual(status, 1, output)
        self.assertEqual(len(output.splitlines()), 1, output)
        for text in wanted:
            self.assertIn(text, output)

    def test_a_clean_tree_passes(self):
        status, output = check({})
        self.assertEqual((status, output), (0, "layers hold: 5 files in 3 folders\n"))

    def test_an_include_of_a_higher_folder_is_found(self):
        self.assert_found({"base/word.cpp": SPDX + '#include "base/word.hpp"\n#include "wire/frame.hpp"\n'},
                          "base/word.cpp:3:", "base may not include wire")

    def test_a_library_in_the_wrong_folder_is_found(self):
        self.assert_found({"actors/a.cpp": SPDX + "#include <vterm.h>\n"},
                          "actors/a.cpp:2:", "actors may not use Vterm")

    def test_a_library_that_the_table_does_not_name_is_found(self):
        self.assert_found({"actors/a.cpp": SPDX + "#include <fmt/format.h>\n"}, "no library in the table")

    def test_a_heavy_header_that_another_folder_sees_is_found(self):
        self.assert_found({"wire/frame.hpp": SPDX + "#pragma once\n#include <json/json.hpp>\n"},
                          "wire/frame.hpp:3:", "keep Json")

    def test_a_heavy_header_seen_through_another_header_is_found(self):
        self.assert_found({"wire/frame.hpp": SPDX + '#pragma once\n#include "wire/deep.hpp"\n',
                           "wire/deep.hpp": SPDX + "#pragma once\n#include <json/json.hpp>\n"},
                          "wire/deep.hpp:3:", "keep Json")

    def test_a_heavy_header_that_stays_in_its_folder_passes(self):
        status, output = check({"wire/private.hpp": SPDX + "#pragma once\n#include <json/json.hpp>\n",
                                "wire/frame.cpp": SPDX + '#include "wire/frame.hpp"\n#include "wire/private.hpp"\n'})
        self.assertEqual(status, 0, output)

    def test_a_link_to_a_higher_folder_is_found(self):
        self.assert_found({"base/CMakeLists.txt": "troupe_module(base SOURCES word.cpp\n  PRIVATE_DEPS troupe::wire)\n"},
                          "base/CMakeLists.txt:2:", "base may not link wire")

    def test_a_folder_without_a_row_is_found(self):
        self.assert_found({"stray/CMakeLists.txt": "troupe_module(stray SOURCES s.cpp)\n"}, "stray has no row")

    def test_a_row_that_names_an_unknown_folder_is_found(self):
        self.assert_found({"docs/ARCHITECTURE.md": ARCHITECTURE.replace("base, wire", "base, wire, nowhere")},
                          "unknown folder nowhere")

    def test_a_source_that_does_not_start_with_its_own_header_is_found(self):
        self.assert_found({"base/word.cpp": SPDX + '#include <string>\n#include "base/word.hpp"\n'},
                          'before its own "base/word.hpp"')

    def test_an_include_relative_to_the_file_is_found(self):
        self.assert_found({"actors/a.cpp": SPDX + '#include "b.hpp"\n'}, "not written from the root")

    def test_an_own_header_in_angle_brackets_is_found(self):
        self.assert_found({"actors/a.cpp": SPDX + "#include <wire/frame.hpp>\n"}, "write it in quotes")

    def test_a_missing_licence_line_is_found(self):
        self.assert_found({"actors/a.cpp": '#include "wire/frame.hpp"\n'}, "first line")


if __name__ == "__main__":
    unittest.main()
