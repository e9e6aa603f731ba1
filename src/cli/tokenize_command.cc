// tandem tokenize: what the model sees of each line of text.
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/hub_flags.h"
#include "cli/shared_flags.h"
#include "formats/json.h"
#include "text/tokenizer.h"

namespace tandem {
namespace {

struct TokenizeFlags {
  std::string model;
  HubFlags hub;
  std::string file = "-";
  std::int64_t max_seq_length = 128;
  bool json = false;
};

std::string ids_line(const Tokenizer& tokenizer, const std::string& text, std::int64_t limit) {
  const Encoding encoding = tokenizer.encode(text, std::nullopt, limit);
  return fmt::format("{}\n", fmt::join(encoding.ids, " "));
}

std::string json_line(const Tokenizer& tokenizer, const std::string& text, std::int64_t limit) {
  nlohmann::json line = {{"ids", nlohmann::json::array()},
                         {"tokens", nlohmann::json::array()},
                         {"offsets", nlohmann::json::array()}};
  for (const TokenSpan& span : tokenizer.encode_with_spans(text, limit)) {
    line["ids"].push_back(span.id);
    line["tokens"].push_back(span.token);
    line["offsets"].push_back({span.begin, span.end});
  }
  return python_json(line, {.indent = std::nullopt, .ensure_ascii = false}) + "\n";
}

void tokenize(const TokenizeFlags& flags) {
  const Tokenizer tokenizer = Tokenizer::load(model_directory(flags.model, flags.hub));
  const bool from_stdin = flags.file == "-";
  std::ifstream file;
  if (!from_stdin) {
    file.open(flags.file, std::ios::binary);
    if (!file) throw DataError("{}: cannot be read: {}", flags.file, errno_text(errno));
  }
  std::istream& input = from_stdin ? std::cin : file;
  const std::string source = from_stdin ? "standard input" : flags.file;
  std::string line;
  for (std::int64_t number = 1; std::getline(input, line); ++number) {
    if (const auto offset = first_invalid_utf8(line)) {
      throw DataError("{}:{}: byte {} is not UTF-8; `iconv -f latin1 -t utf8` converts Latin-1",
                      source, number, *offset + 1);
    }
    std::cout << (flags.json ? json_line(tokenizer, line, flags.max_seq_length)
                             : ids_line(tokenizer, line, flags.max_seq_length));
  }
  if (!std::cout.flush()) throw WallError("standard output cannot be written");
}

}  // namespace

void add_tokenize_command(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("tokenize", "Print the token ids that the model sees of each line.");
  const auto flags = std::make_shared<TokenizeFlags>();
  command
      .add_option("--model,--model-name-or-path", flags->model,
                  "directory of the model, or its name on the hub (see `tandem fetch`)")
      ->option_text("DIR")
      ->required();
  command.add_option("file", flags->file, "text, a line each; - for standard input")
      ->capture_default_str();
  command.add_option("--max-seq-length", flags->max_seq_length, "longer texts are cut")
      ->check(CLI::Range(4, 1 << 20))
      ->capture_default_str();
  command.add_flag("--json", flags->json,
                   "an object a line: ids, tokens, and byte offsets in the line");
  add_hub_flags(command, flags->hub);
  command.callback([flags] { tokenize(*flags); });
}

}  // namespace tandem
