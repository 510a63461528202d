// SPDX-License-Identifier: MIT
#include "pty/pty_service.hpp"

#include <boost/asio/io_context.hpp>
#include <utility>

#include "pty/on_io.hpp"
#include "pty/process_scanner.hpp"
#include "pty/pty_channel.hpp"
#include "pty/spawn.hpp"
#include "pty/worker.hpp"

namespace troupe::pty {

class PtyService::Impl {
 public:
  Impl(boost::asio::io_context& io, const PtyOptions& options)
      : io_(io), defaults_{current_environment(), options.child_open_files} {}

  void open(LaunchSpec spec, Opened done) {
    const OnIo then(io_, [this, life = std::weak_ptr(scanner_),
                          done = std::move(done)](Result<SpawnedChild> child) {
      if (life.expired()) {
        return;
      }
      if (!child) {
        done(child.error());
        return;
      }
      done(std::unique_ptr<Channel>(
          std::make_unique<PtyChannel>(io_, scanner_, std::move(child).value())));
    });
    launcher_.post([this, then, spec = std::move(spec)] { then(spawn(spec, defaults_)); });
  }

  void foreground(std::vector<ForegroundQuery> queries, Foreground done) {
    const OnIo then(io_, [life = std::weak_ptr(scanner_),
                          done = std::move(done)](std::vector<ForegroundAnswer> answers) {
      if (!life.expired()) {
        done(std::move(answers));
      }
    });
    scanner_->scan([then, queries = std::move(queries)](const ProcessTable& table) {
      std::vector<ForegroundAnswer> answers;
      answers.reserve(queries.size());
      for (const auto& query : queries) {
        answers.push_back({query.key, table.foreground(query.leader_pid, uses_own_terminal),
                           working_directory_of(query.leader_pid)});
      }
      then(std::move(answers));
    });
  }

 private:
  boost::asio::io_context& io_;
  SpawnDefaults defaults_;
  std::shared_ptr<ProcessScanner> scanner_ = std::make_shared<ProcessScanner>();
  Worker launcher_{"troupe-launch"};  ///< last: its thread uses the members above
};

PtyService::PtyService(boost::asio::io_context& io, PtyOptions options)
    : impl_(std::make_unique<Impl>(io, options)) {}

PtyService::~PtyService() = default;

void PtyService::open(LaunchSpec spec, Opened done) {
  impl_->open(std::move(spec), std::move(done));
}

void PtyService::foreground(std::vector<ForegroundQuery> queries, Foreground done) {
  impl_->foreground(std::move(queries), std::move(done));
}

}  // namespace troupe::pty
