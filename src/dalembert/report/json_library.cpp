#include "dalembert/report/json_library.hpp"

template class nlohmann::basic_json<>;
