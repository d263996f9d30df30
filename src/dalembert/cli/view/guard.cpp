#include "dalembert/cli/view/guard.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <system_error>

namespace dalembert::cli {

namespace {

constexpr int bad_request = 400, forbidden = 403, not_found = 404, length_required = 411,
              too_large = 413, wrong_type = 415;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// In a time that does not tell where they differ.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(
        difference | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  }
  return difference == 0;
}

bool is_json(std::string_view content_type) {
  std::string type = lower(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return type == "application/json";
}

}  // namespace

bool ViewGuard::is_own(std::string_view authority) const {
  const std::string name = lower(authority);
  constexpr int left_out = 80;  // by browsers
  if (port_ == left_out && (name == "127.0.0.1" || name == "localhost")) return true;
  return name == fmt::format("127.0.0.1:{}", port_) || name == fmt::format("localhost:{}", port_);
}

bool ViewGuard::is_same_site(const RequestHead& head) const {
  constexpr std::string_view scheme = "http://";
  if (head.host.size() != 1 || !is_own(head.host.front())) return false;
  if (head.origin.size() > 1 || head.fetch_site.size() > 1) return false;
  if (!head.origin.empty()) {
    const std::string& origin = head.origin.front();
    if (!origin.starts_with(scheme) || !is_own(std::string_view(origin).substr(scheme.size())))
      return false;
  }
  return head.fetch_site.empty() || head.fetch_site.front() == "same-origin" ||
         head.fetch_site.front() == "none";
}

Address ViewGuard::address_of(const RequestHead& head) const {
  // The target as it was sent: what is written in another way, with dots or per cent signs, is
  // another address.
  std::string_view rest = head.target;
  if (rest.size() < token_.size() + 2 || rest.front() != '/') return Address::none;
  if (!same_secret(rest.substr(1, token_.size()), token_)) return Address::none;
  rest.remove_prefix(1 + token_.size());
  if (head.method == "GET") {
    if (rest == "/") return Address::page;
    if (rest == "/alive") return Address::alive;
  } else if (head.method == "POST") {
    if (rest == "/simulate") return Address::simulate;
    if (rest == "/save") return Address::save;
  }
  return Address::none;
}

int ViewGuard::judge_body(const RequestHead& head) const {
  if (head.content_type.size() != 1 || !is_json(head.content_type.front()) ||
      head.has_content_encoding)
    return wrong_type;
  if (head.has_transfer_encoding || head.content_length.empty()) return length_required;
  const std::string& digits = head.content_length.front();
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error == std::errc::result_out_of_range) return too_large;
  if (head.content_length.size() > 1 || error != std::errc() ||
      end != digits.data() + digits.size())
    return bad_request;
  return length > largest_body_ ? too_large : 200;
}

Judgement ViewGuard::judge(const RequestHead& head) const {
  if (!is_same_site(head)) return {Address::none, forbidden};
  const Address address = address_of(head);
  if (address == Address::none) return {address, not_found};
  if (head.method == "POST") return {address, judge_body(head)};
  // What asks for a page has nothing to send.
  const bool has_body = head.has_transfer_encoding ||
                        std::any_of(head.content_length.begin(), head.content_length.end(),
                                    [](const std::string& length) { return length != "0"; });
  return {address, has_body ? bad_request : 200};
}

std::string random_token() {
  std::array<unsigned char, 32> bytes{};
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (got < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "no random numbers");
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace dalembert::cli
