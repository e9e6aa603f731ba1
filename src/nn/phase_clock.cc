#include "nn/phase_clock.h"

#include <map>
#include <utility>

namespace tandem {

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::kEmbeddings:
      return "embeddings";
    case Phase::kQkv:
      return "QKV";
    case Phase::kAttention:
      return "attention";
    case Phase::kAttentionOutput:
      return "attention output";
    case Phase::kIntermediate:
      return "FFN up";
    case Phase::kGelu:
      return "GELU";
    case Phase::kOutput:
      return "FFN down";
    case Phase::kLayerNorm:
      return "LayerNorm";
    case Phase::kHead:
      return "head";
    case Phase::kLoss:
      return "loss";
    case Phase::kCommunication:
      return "communication";
    case Phase::kClipping:
      return "clipping";
    case Phase::kAdamW:
      return "AdamW";
  }
  return "";
}

std::string_view name_of(Pass pass) {
  switch (pass) {
    case Pass::kForward:
      return "forward";
    case Pass::kBackward:
      return "backward";
    case Pass::kUpdate:
      return "update";
  }
  return "";
}

double PhaseClock::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - made_).count();
}

void PhaseClock::enter(Phase phase, Pass pass, double bytes) {
  leave();
  laps_.push_back({.phase = phase, .pass = pass, .start = now(), .bytes = bytes});
  open_ = true;
}

void PhaseClock::leave() {
  if (!open_) return;
  open_ = false;
  laps_.back().end = now();
  laps_.back().activation_seconds =
      static_cast<double>(activation_nanoseconds_.exchange(0)) * 1e-9 / threads_;
}

void PhaseClock::count(double flops, double bytes) {
  if (!open_) return;
  laps_.back().flops += flops;
  laps_.back().bytes += bytes;
}

PhaseClock::ActivationTime::ActivationTime(PhaseClock* clock) : clock_(clock) {
  if (clock_ != nullptr) start_ = std::chrono::steady_clock::now();
}

PhaseClock::ActivationTime::~ActivationTime() {
  if (clock_ == nullptr) return;
  const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start_;
  clock_->activation_nanoseconds_.fetch_add(time.count(), std::memory_order_relaxed);
}

std::vector<PhaseTotal> PhaseClock::totals() const {
  std::map<std::pair<Phase, Pass>, PhaseTotal> sums;
  const auto sum = [&](Phase phase, Pass pass) -> PhaseTotal& {
    PhaseTotal& total = sums[{phase, pass}];
    total.phase = phase;
    total.pass = pass;
    return total;
  };
  for (const Lap& lap : laps_) {
    PhaseTotal& total = sum(lap.phase, lap.pass);
    total.seconds += lap.end - lap.start - lap.activation_seconds;
    total.flops += lap.flops;
    total.bytes += lap.bytes;
    if (lap.activation_seconds > 0) sum(Phase::kGelu, lap.pass).seconds += lap.activation_seconds;
  }
  std::vector<PhaseTotal> totals;
  totals.reserve(sums.size());
  for (const auto& [key, total] : sums) totals.push_back(total);
  return totals;
}

}  // namespace tandem
