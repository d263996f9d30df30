#pragma once

#include <nlohmann/json.hpp>

/// The JSON library's one class, compiled once, in json_library.cpp, for `report` and `cli`:
/// without this every file that touches a document instantiates it anew. It stands in their
/// precompiled headers.
extern template class nlohmann::basic_json<>;
