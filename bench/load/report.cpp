// SPDX-License-Identifier: MIT
#include "bench/load/report.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

namespace troupe::bench {

std::string fixed(double value, int digits) {
  char text[64];
  (void)std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

void Report::add(Figure figure) {
  (void)std::printf("%-44s %9s %-9s %s\n", figure.name.c_str(), fixed(figure.value, 3).c_str(),
                    figure.unit.c_str(), figure.detail.c_str());
  (void)std::fflush(stdout);
  figures_.push_back(std::move(figure));
}

std::string Report::json() const {
  nlohmann::json rows = nlohmann::json::array();
  for (const Figure& figure : figures_) {
    rows.push_back({{"name", figure.name},
                    {"value", figure.value},
                    {"unit", figure.unit},
                    {"detail", figure.detail}});
  }
  return rows.dump(2);
}

}  // namespace troupe::bench
