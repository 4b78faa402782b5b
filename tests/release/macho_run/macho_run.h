// Runs an x86_64 macOS program on x86_64 Linux: maps its segments, applies its fixups, and binds
// its imports from libSystem to the C library of Linux, through shims if layouts or constants
// differ. A test tool for one program, tcfix: functions that tcfix does not call are missing.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct Image {
  uint8_t* memory; // the start of the lowest segment
  uint64_t lowest; // the address that it was linked for
  uint8_t* entry;  // main
};

/// Maps the program and binds its imports. Prints what is wrong and exits if it cannot.
struct Image loadImage(const char* path);
/// Runs its initializers, then main; returns its exit code.
int runImage(const struct Image* image, const char* path, int count, char** arguments);

/// A function or variable of libSystem by its name in a symbol table, such as "_open". One that has
/// no counterpart prints its name and aborts when it is called.
void* findSymbol(const char* name);

struct Shim {
  const char* name;
  void* address;
};
// One table for each group of functions; each ends with an empty entry.
extern const struct Shim kFileShims[], kThreadShims[], kOtherShims[];

/// Sets up thread-local variables: their descriptors, and the initial values for each thread.
void prepareThreadVariables(void* descriptors, size_t size, const void* initial, size_t initialSize,
                            size_t wholeSize);
/// The results of `_NSGetExecutablePath` and `_NSGetArgv`.
void setProgram(const char* path, int count, char** arguments);

_Noreturn void die(const char* format, ...);
