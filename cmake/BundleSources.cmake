# Writes OUTPUT, a C++ source that holds every file in SOURCES (a folder) as text: cmake -DSOURCES=... -DOUTPUT=... -P
file(GLOB paths ${SOURCES}/*)
list(SORT paths)
set(entries "")
foreach(path IN LISTS paths)
  get_filename_component(name ${path} NAME)
  file(READ ${path} text)
  string(APPEND entries "    {\"${name}\", R\"SOURCE(${text})SOURCE\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"dalembert/packing/templates.hpp\"

namespace dalembert::packing {

std::span<const Template> templates() {
  static constexpr Template all[] = {
${entries}  };
  return all;
}

}  // namespace dalembert::packing
")
