// Stands for the precompiled headers of the tests, which CMake attaches to a target with a source.
