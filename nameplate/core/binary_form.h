// Values as bytes and back, for what travels between processes of one build: numbers of fixed size, little-endian;
// texts and lists with their length in front, optional and alternative values with what they hold.
//
// One function a struct tells its members, for both directions:
//   template <class Form>
//   void members(Form& form, Like<Step> auto& step) { form(step.index, step.begin_ns, step.name); }
// A form that reads sets them; `form.require(condition)` adds what else must hold of them. Reading trusts nothing: a
// length beyond the bytes that are left, an enumerator beyond `last_enumerator`, a condition that does not hold, or
// bytes left over make from_bytes() return nothing. A list takes memory in proportion to the bytes that there are.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace nameplate {

static_assert(std::endian::native == std::endian::little);

// A T, constant or not.
template <class Value, class T>
concept Like = std::same_as<std::remove_const_t<Value>, T>;

template <class T>
concept PlainNumber = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

// How many members a struct without constructors has. A list of members asserts it, so that a new one is not forgotten.
struct AnyMember {
  template <class T>
  operator T() const;  // NOLINT: implicit by design, never called
};
template <class T, class... Members>
consteval std::size_t member_count() {
  if constexpr (requires { T{Members{}..., AnyMember{}}; }) {
    return member_count<T, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}

class BinaryWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }
  void require(bool) {}
  std::string take() { return std::move(bytes_); }

 private:
  void write(PlainNumber auto number) { append(&number, sizeof number); }
  void write(bool flag) { bytes_ += flag ? '\1' : '\0'; }
  template <class T>
  requires std::is_enum_v<T>
  void write(T enumerator) { write(static_cast<std::underlying_type_t<T>>(enumerator)); }
  void write(const std::string& text) {
    write(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <class T>
  void write(const std::vector<T>& list) {
    write(std::uint64_t{list.size()});
    if constexpr (PlainNumber<T>) {
      append(list.data(), list.size() * sizeof(T));
    } else {
      for (const T& item : list) write(item);
    }
  }
  template <class T>
  void write(const std::optional<T>& maybe) {
    write(maybe.has_value());
    if (maybe) write(*maybe);
  }
  template <class A, class B>
  void write(const std::pair<A, B>& both) {
    write(both.first);
    write(both.second);
  }
  template <class... T>
  void write(const std::variant<T...>& one) {
    write(static_cast<std::uint8_t>(one.index()));
    std::visit([this](const auto& value) { this->write(value); }, one);
  }
  template <class T>
  requires std::is_class_v<T>
  void write(const T& value) { members(*this, value); }
  void append(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  std::string bytes_;
};

class BinaryReader {
 public:
  explicit BinaryReader(std::string_view bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  void require(bool condition) { good_ = good_ && condition; }
  bool good() const { return good_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  void read(PlainNumber auto& number) { take(&number, sizeof number); }
  void read(bool& flag) {
    char byte = 0;
    take(&byte, 1);
    require(byte == '\0' || byte == '\1');
    flag = byte == '\1';
  }
  template <class T>
  requires std::is_enum_v<T>
  void read(T& enumerator) {
    std::underlying_type_t<T> number{};
    read(number);
    require(number >= 0 && number <= static_cast<std::underlying_type_t<T>>(last_enumerator(T{})));
    enumerator = good_ ? static_cast<T>(number) : T{};
  }
  void read(std::string& text) {
    const std::size_t size = length(1);
    text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
  }
  template <class T>
  void read(std::vector<T>& list) {
    if constexpr (PlainNumber<T>) {
      list.resize(length(sizeof(T)));
      take(list.data(), list.size() * sizeof(T));
    } else {
      list.clear();
      for (std::size_t left = length(1); left > 0 && good_; --left) read(list.emplace_back());
    }
  }
  template <class T>
  void read(std::optional<T>& maybe) {
    bool there = false;
    read(there);
    maybe.reset();
    if (there) read(maybe.emplace());
  }
  template <class A, class B>
  void read(std::pair<A, B>& both) {
    read(both.first);
    read(both.second);
  }
  template <class... T>
  void read(std::variant<T...>& one) {
    std::uint8_t index = 0;
    read(index);
    require(index < sizeof...(T));
    std::uint8_t alternative = 0;
    ((alternative++ == index ? read(one.template emplace<T>()) : void()), ...);
  }
  template <class T>
  requires std::is_class_v<T>
  void read(T& value) { members(*this, value); }

  // Of a list whose items take `least` bytes each or more; 0 when so many cannot follow.
  std::size_t length(std::size_t least) {
    std::uint64_t size = 0;
    read(size);
    require(size <= bytes_.size() / least);
    return good_ ? static_cast<std::size_t>(size) : 0;
  }
  void take(void* to, std::size_t size) {
    require(size <= bytes_.size());
    if (!good_ || size == 0) return;
    std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

  std::string_view bytes_;
  bool good_ = true;
};

template <class T>
std::string to_bytes(const T& value) {
  BinaryWriter writer;
  writer(value);
  return writer.take();
}

// Nothing unless `bytes` are one T and no more.
template <class T>
std::optional<T> from_bytes(std::string_view bytes) {
  T value{};
  BinaryReader reader(bytes);
  reader(value);
  return reader.good() && reader.at_end() ? std::optional(std::move(value)) : std::nullopt;
}

}  // namespace nameplate
