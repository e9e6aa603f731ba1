#pragma once
// Records as TensorFlow's files hold them (tensorflow/core/lib/io/record_writer.h).

#include <cstdint>
#include <string>
#include <string_view>

namespace tandem {

// CRC-32C (Castagnoli), as iSCSI has it (RFC 3720, appendix B.4).
std::uint32_t crc32c(std::string_view bytes);

// The record that holds these bytes: their number as 64 bits, its checksum, the bytes, their
// checksum; all little-endian. Checksums are masked, so that a record within a record doesn't look
// like one.
std::string tf_record(std::string_view bytes);

}  // namespace tandem
