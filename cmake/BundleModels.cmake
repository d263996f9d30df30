# Writes OUTPUT, a C++ source that holds every model in MODELS (a folder) as text: cmake -DMODELS=... -DOUTPUT=... -P
file(GLOB paths ${MODELS}/*.toml)
list(SORT paths)
set(entries "")
foreach(path IN LISTS paths)
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} text)
  string(APPEND entries "    {\"${name}\", R\"MODEL(${text})MODEL\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"dalembert/model/bundled.hpp\"

namespace dalembert::model {

std::span<const BundledModel> bundled_models() {
  static constexpr BundledModel models[] = {
${entries}  };
  return models;
}

}  // namespace dalembert::model
")
