// Stands for the precompiled headers of the rooms, which CMake attaches to a target with a source.
