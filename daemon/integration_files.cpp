// SPDX-License-Identifier: MIT
#include "daemon/integration_files.hpp"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>

#include "registration/files.hpp"
#include "shell/install.hpp"

namespace troupe::daemon {

IntegrationFiles::IntegrationFiles(const std::string& runtime_directory)
    : path_(runtime_directory + "/" + registration::integration_name) {
  if (Result<> installed = shell::install(path_); !installed) {
    spdlog::warn("no shell integration: {}", installed.error().message);
    path_.clear();
  }
}

IntegrationFiles::~IntegrationFiles() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
}

}  // namespace troupe::daemon
