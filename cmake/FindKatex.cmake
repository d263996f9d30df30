# KaTeX, which typesets the formulas of the HTML documents (Debian: libjs-katex). Its script, style and fonts go into
# the library at build time. Sets KATEX_DIR and KATEX_FILES, all that is built in.
find_path(KATEX_DIR katex.min.js PATHS /usr/share/javascript/katex /usr/share/nodejs/katex/dist
  DOC "The folder of katex.min.js, katex.min.css and fonts/")
set(KATEX_FILES "")
foreach(file katex.min.js katex.min.css)
  list(APPEND KATEX_FILES ${KATEX_DIR}/${file})
endforeach()
foreach(font AMS-Regular Caligraphic-Regular Main-Bold Main-Italic Main-Regular Math-BoldItalic Math-Italic
    Script-Regular Size1-Regular Size2-Regular Size3-Regular Size4-Regular Typewriter-Regular)
  list(APPEND KATEX_FILES ${KATEX_DIR}/fonts/KaTeX_${font}.woff2)
endforeach()
set(KATEX_COMPLETE TRUE)
foreach(file IN LISTS KATEX_FILES)
  if(NOT EXISTS ${file})
    set(KATEX_COMPLETE FALSE)
    message(STATUS "KaTeX: no ${file}")
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Katex REQUIRED_VARS KATEX_DIR KATEX_COMPLETE)
mark_as_advanced(KATEX_DIR)
