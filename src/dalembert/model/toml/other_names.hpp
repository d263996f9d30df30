#pragma once
/// Keys that authors bring from elsewhere, where something else is written here.

#include <string>
#include <string_view>

namespace dalembert::model {

/// "; steps are chosen by their error: ..." for a key that is not one of ours but is often meant to
/// be; nothing for others. `where` is " in [simulation]", or empty for keys of the file itself.
std::string other_name_of_key(std::string_view key, std::string_view where);

}  // namespace dalembert::model
