#pragma once
/// Files as part of the program: DALEMBERT_EMBED(name, path) copies the file at `path`, a string
/// literal, into read-only data and defines `std::string_view embedded_name()`. Not for the public.

#include <cstddef>
#include <string_view>

#define DALEMBERT_EMBED(name, path)                                                             \
  asm(".pushsection .rodata,\"a\",@progbits\n"                                                  \
      ".hidden dalembert_embedded_" #name                                                       \
      "\n"                                                                                      \
      ".global dalembert_embedded_" #name                                                       \
      "\n"                                                                                      \
      ".hidden dalembert_embedded_" #name                                                       \
      "_end\n"                                                                                  \
      ".global dalembert_embedded_" #name                                                       \
      "_end\n"                                                                                  \
      "dalembert_embedded_" #name                                                               \
      ":\n"                                                                                     \
      ".incbin \"" path                                                                         \
      "\"\n"                                                                                    \
      "dalembert_embedded_" #name                                                               \
      "_end:\n"                                                                                 \
      ".byte 0\n"                                                                               \
      ".popsection\n");                                                                         \
  extern "C" const char dalembert_embedded_##name[];                                            \
  extern "C" const char dalembert_embedded_##name##_end[];                                      \
  static std::string_view embedded_##name() {                                                   \
    return {                                                                                    \
        static_cast<const char*>(dalembert_embedded_##name),                                    \
        static_cast<std::size_t>(dalembert_embedded_##name##_end - dalembert_embedded_##name)}; \
  }
