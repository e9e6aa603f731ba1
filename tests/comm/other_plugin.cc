// A plugin of another Tandem.
#include "comm/plugin.h"

namespace {
constexpr tandem::Plugin kPlugin{"0.0.0-other", nullptr};
}

const tandem::Plugin* tandem_plugin() { return &kPlugin; }
