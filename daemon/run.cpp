// SPDX-License-Identifier: MIT
#include "daemon/run.hpp"

#include <malloc.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "actors/service.hpp"
#include "base/environment.hpp"
#include "base/random.hpp"
#include "daemon/agent_link.hpp"
#include "daemon/integration_files.hpp"
#include "daemon/log.hpp"
#include "protocol/version.hpp"
#include "registration/service_directory.hpp"
#include "registration/sweep.hpp"
#include "telemetry/telemetry.hpp"
#include "transport/listener.hpp"

namespace troupe::daemon {
namespace {

constexpr std::size_t id_bytes = 16;
// Terminals are killed within 2 s; whoever is not done by then is stuck.
constexpr std::chrono::seconds cleanup_limit{5};

/// A thousand terminals need more descriptors than the usual soft limit. Returns what children
/// shall have.
std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return 0;
  }
  std::uint64_t const before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? before : 0;
}

/// Ends the process where the clean-up hangs: an owner must never wait for ever for a daemon.
class Watchdog {
 public:
  explicit Watchdog(registration::ServiceDirectory& directory) : directory_(directory) {}
  ~Watchdog() {
    {
      std::lock_guard const lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  void arm() {
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { watch(); });
    }
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    if (!wake_.wait_for(lock, cleanup_limit, [this] { return done_; })) {
      std::fputs("error: cleanup timed out; forcing exit\n", stderr);
      directory_.withdraw();
      ::_exit(1);
    }
  }

  registration::ServiceDirectory& directory_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

/// Clears away abandoned siblings beside the service; a clean exit lets it finish.
class Sweeper {
 public:
  explicit Sweeper(std::string own)
      : thread_([this, own = std::move(own)] { (void)registration::sweep_siblings(own, stop_); }) {}
  ~Sweeper() { thread_.join(); }

 private:
  const std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Gives the kernel what main.cpp has the allocator keep, once there is too much of it. With
/// hundreds of MiB that takes tens of milliseconds, for which no actor shall wait.
class MemoryReturn {
 public:
  MemoryReturn() = default;
  MemoryReturn(const MemoryReturn&) = delete;
  MemoryReturn& operator=(const MemoryReturn&) = delete;
  ~MemoryReturn() { join(); }
  /// By one caller at a time.
  void begin() {
    join();  // the one before began a second ago
#ifdef __GLIBC__
    try {
      thread_ = std::thread([] { ::malloc_trim(0); });
    } catch (const std::system_error&) {
      ::malloc_trim(0);  // no thread is to be had: then the caller waits
    }
#endif
  }

 private:
  void join() {
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  std::thread thread_;
};

registration::Registration make_registration(const actors::ServiceIdentity& identity,
                                             const std::string& socket) {
  registration::Registration registration;
  registration.instance_id = identity.instance_id;
  registration.pid = identity.pid;
  registration.protocol = static_cast<int>(protocol::protocol_version);
  registration.socket = socket;
  registration.token = identity.token;
  registration.features = identity.features;
  return registration;
}

actors::Log make_log() {
  using actors::LogLevel;
  actors::Log log;
  spdlog::level::level_enum const level = spdlog::default_logger_raw()->level();
  log.least = level <= spdlog::level::debug  ? LogLevel::debug
              : level == spdlog::level::info ? LogLevel::info
              : level == spdlog::level::warn ? LogLevel::warn
                                             : LogLevel::error;
  log.write = [](LogLevel at, const std::string& line) {
    switch (at) {
      case LogLevel::debug:
        return spdlog::debug(line);
      case LogLevel::info:
        return spdlog::info(line);
      case LogLevel::warn:
        return spdlog::warn(line);
      case LogLevel::error:
        return spdlog::error(line);
    }
  };
  return log;
}

actors::ServiceOptions make_service_options(const Options& options, const AgentLink& link,
                                            const IntegrationFiles& integration) {
  actors::ServiceOptions service;
  service.settings = actors::settings_from_environment();
  service.settings.agent_path = link.path();
  service.settings.integration_dir = integration.path();
  service.identity.instance_id = random_hex(id_bytes);
  service.identity.token = random_hex(id_bytes);
  service.identity.pid = ::getpid();
  service.identity.features = actors::service_features(service.settings);
  service.mode =
      options.standalone ? actors::Ownership::Mode::standalone : actors::Ownership::Mode::owned;
  service.identity.standalone = options.standalone;
  service.identity.started_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                                    std::chrono::system_clock::now().time_since_epoch())
                                    .count();
  service.child_open_files = raise_descriptor_limit();
  return service;
}

/// Spans where the environment asks for them. A variable that does not fit is no reason not to
/// start.
telemetry::TelemetryOptions make_telemetry_options(const actors::ServiceIdentity& identity) {
  telemetry::TelemetryOptions telemetry;
  telemetry::OtelChoice choice =
      telemetry::otel_settings([](const char* name) { return environment_value(name); });
  for (const std::string& warning : choice.warnings) {
    spdlog::warn("{}", warning);
  }
  telemetry.spans = std::move(choice.spans);
  telemetry.version = protocol::program_version;
  telemetry.instance_id = identity.instance_id;
  telemetry.pid = identity.pid;
  telemetry.started_ms = identity.started_ms;
  telemetry.warn = [](const std::string& line) { spdlog::warn("{}", line); };
  return telemetry;
}

using MaybeAddress = std::optional<telemetry::MetricsAddress>;

/// Nothing where nobody asked for metrics.
Result<MaybeAddress> metrics_address_of(const Options& options) {
  if (options.metrics.empty()) {
    return MaybeAddress{};
  }
  auto parsed = telemetry::parse_metrics_address(options.metrics, options.runtime_directory);
  if (!parsed) {
    return parsed.error();
  }
  return MaybeAddress{std::move(*parsed)};
}

/// Null where nobody asked for metrics. `service` points to the service once there is one; nothing
/// is answered before the io thread runs.
Result<std::unique_ptr<telemetry::MetricsService>> serve_metrics(telemetry::Telemetry& telemetry,
                                                                 boost::asio::io_context& io,
                                                                 const MaybeAddress& address,
                                                                 actors::Service* const& service) {
  if (!address) {
    return std::unique_ptr<telemetry::MetricsService>{};
  }
  auto served = telemetry.serve(
      io, *address, {[&service] { return service->gauges(); }, [&service] { service->probe(); }});
  if (served) {
    spdlog::info("metrics are served at {}", (*served)->url());
  }
  return served;
}

/// A client that goes, or a file that may not grow, is an error and no end; children get the
/// defaults back.
void ignore_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

/// Binds where the registration will say that the daemon answers.
Result<std::unique_ptr<transport::Listener>> listen(boost::asio::io_context& io,
                                                    registration::ServiceDirectory& directory) {
  auto listener = transport::Listener::open(io, directory.socket_path());
  if (!listener) {
    return listener.error();
  }
  if (Result<> adopted = directory.adopt_socket(); !adopted) {
    return adopted.error();
  }
  return listener;
}

}  // namespace

Result<> run(const Options& options) {
  if (Result<> logging = start_logging(options.log_file, options.log_level); !logging) {
    return logging;
  }
  ignore_signals();
  const Result<MaybeAddress> metrics_address = metrics_address_of(options);
  if (!metrics_address) {
    return metrics_address.error();
  }
  Result<registration::ServiceDirectory> directory =
      registration::ServiceDirectory::take(options.runtime_directory);
  if (!directory) {
    return directory.error();
  }
  boost::asio::io_context io{1};
  Result<std::unique_ptr<transport::Listener>> listener = listen(io, *directory);
  if (!listener) {
    return listener.error();
  }
  AgentLink link{directory->path()};
  const IntegrationFiles integration{directory->path()};
  actors::ServiceOptions service_options = make_service_options(options, link, integration);
  registration::Registration const registration =
      make_registration(service_options.identity, directory->socket_path());
  service_options.agent_changed = [&](const std::string& path) { link.point_to(path); };
  service_options.log = make_log();
  MemoryReturn memory_return;
  service_options.give_back_memory = [&] { memory_return.begin(); };
  service_options.stopped = [&] { io.stop(); };
  Watchdog watchdog{*directory};
  service_options.stopping = [&] {
    (*listener)->close();
    watchdog.arm();
  };
  telemetry::TelemetryOptions telemetry_options = make_telemetry_options(service_options.identity);
  const bool watched = *metrics_address || telemetry_options.spans;
  telemetry::Telemetry telemetry{std::move(telemetry_options)};
  if (watched) {
    service_options.telemetry = &telemetry;
  }
  actors::Service* running = nullptr;
  const auto metrics = serve_metrics(telemetry, io, *metrics_address, running);
  if (!metrics) {
    return metrics.error();
  }
  actors::Service service{io, std::move(service_options)};
  running = &service;
  boost::asio::signal_set signals{io, SIGTERM, SIGINT, SIGHUP};
  signals.async_wait([&](const auto& error, int number) {
    if (!error) {
      spdlog::info("stopping on signal {}", number);
      service.stop();
    }
  });
  (*listener)->start([&](UniqueFd socket) { service.accept(std::move(socket)); });
  if (Result<> published = directory->publish(registration); !published) {
    return published;
  }
  const Sweeper sweeper{directory->path()};
  io.run();
  directory->withdraw();
  return success();
}

}  // namespace troupe::daemon
