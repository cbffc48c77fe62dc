// The files of data/, embedded at build time (cmake/embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace nameplate {

struct EmbeddedFile {
  std::string_view path;  // below data/, "accelerators/nvidia.toml"
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_files();  // sorted by path

}  // namespace nameplate
