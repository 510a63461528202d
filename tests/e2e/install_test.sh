#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the client library into a staging directory, moves it, and builds the consumer against it
# through CMake's package and through pkg-config. Usage: install_test.sh BUILD_DIR SOURCE_DIR
set -eu
build=$1
consumer=$2/tests/e2e/consumer
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

cmake --install "$build" --prefix "$stage/first" >"$stage/log" 2>&1 || { cat "$stage/log"; exit 1; }
mv "$stage/first" "$stage/root" # nothing may depend on where it was installed

exported=$(nm -DC --defined-only "$stage"/root/lib*/libtroupe_client.so "$stage"/root/lib*/*/libtroupe_client.so 2>/dev/null |
  grep ' [TW] ' | grep -v 'troupe::client::\|std::\|__gnu\|nlohmann\|operator' || true)
[ -z "$exported" ] || { echo "the library exports what is not its own:"; echo "$exported"; exit 1; }

cmake -S "$consumer" -B "$stage/cmake" -DCMAKE_PREFIX_PATH="$stage/root" >"$stage/log" 2>&1 || { cat "$stage/log"; exit 1; }
cmake --build "$stage/cmake" >"$stage/log" 2>&1 || { cat "$stage/log"; exit 1; }
"$stage/cmake/consumer"

pc=$(find "$stage/root" -name troupe-client.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # the flags are words
${CXX:-c++} -std=c++20 -o "$stage/consumer" "$consumer/main.cpp" $(pkg-config --cflags --libs troupe-client)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir troupe-client) "$stage/consumer"
[ "$(pkg-config --modversion troupe-client)" = "$3" ]
[ -x "$stage/root/bin/troupe" ]
# Nobody restarts the unit by a slip (D57): that would end the programs in its terminals.
grep -qx 'RefuseManualStop=yes' "$(find "$stage/root" -name troupe.service)"
"$stage/root/bin/troupe" --version
