# Flags for every target: warnings are errors, and nothing is tuned to the machine that builds
# (kernels choose their instruction set when the program runs).
add_library(tandem_options INTERFACE)
target_compile_options(tandem_options INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
target_include_directories(tandem_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
if(TANDEM_SANITIZER)
  target_compile_options(tandem_options INTERFACE -fsanitize=${TANDEM_SANITIZER} -fno-omit-frame-pointer)
  target_link_options(tandem_options INTERFACE -fsanitize=${TANDEM_SANITIZER})
endif()
if(TANDEM_FUZZ)
  target_compile_options(tandem_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
