#pragma once
// What `tandem doctor` found, for people and for programs.

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cluster/examination.h"

namespace tandem {

// This machine in a few lines.
std::string machine_text(const MachineFacts& facts);

// The hosts as a table, and by which network they reach each other.
std::string hosts_text(const Examination& examination);

// A line for each finding, and a last one: "fit for the job", or how many errors there are.
std::string findings_text(std::span<const Finding> findings);

nlohmann::json machine_json(const MachineFacts& facts, std::span<const Finding> findings);
nlohmann::json examination_json(const Examination& examination);

}  // namespace tandem
