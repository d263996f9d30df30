#pragma once
/// Who may ask, and for what. A server on this machine is within reach of every page that is open
/// in a browser here, and of every user: a request has to know the token, has to be addressed to
/// this server by its own name (else another site's name could be made to lead here), and must not
/// come from another site.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert::cli {

/// What a request says about itself before its body; of headers all that were sent.
struct RequestHead {
  std::string method, target;
  std::vector<std::string> host, origin, fetch_site, content_type, content_length;
  bool has_transfer_encoding = false, has_content_encoding = false;
};

enum class Address { none, page, simulate, save, alive };

struct Judgement {
  Address address = Address::none;
  int status = 200;  ///< else what to refuse it with
};

class ViewGuard {
 public:
  ViewGuard(std::string token, int port, std::size_t largest_body)
      : token_(std::move(token)), port_(port), largest_body_(largest_body) {}

  Judgement judge(const RequestHead& head) const;

 private:
  bool is_own(std::string_view authority) const;
  bool is_same_site(const RequestHead& head) const;
  Address address_of(const RequestHead& head) const;
  int judge_body(const RequestHead& head) const;

  std::string token_;
  int port_;
  std::size_t largest_body_;
};

/// 32 bytes from the system's source of randomness, in hexadecimal. Throws std::system_error where
/// there is none.
std::string random_token();

}  // namespace dalembert::cli
