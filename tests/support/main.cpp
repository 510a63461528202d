// SPDX-License-Identifier: MIT
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

int main(int argc, char** argv) {
  // What a test said is in the log even where a time limit kills it.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return doctest::Context(argc, argv).run();
}
