// SPDX-License-Identifier: MIT
#include "daemon/log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <memory>

namespace troupe::daemon {

Result<> start_logging(const std::string& file, const std::string& level) {
  try {
    auto logger = file.empty() ? spdlog::stderr_logger_mt("trouped")
                               : spdlog::basic_logger_mt("trouped", file);
    logger->set_level(spdlog::level::from_str(level));
    logger->flush_on(spdlog::level::warn);
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    spdlog::set_default_logger(std::move(logger));
  } catch (const std::exception& error) {
    return Error{Code::io, "cannot log to " + file + ": " + error.what()};
  }
  return success();
}

}  // namespace troupe::daemon
