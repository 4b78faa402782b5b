// Runs a macOS program for x86_64 on Linux of the same processor: its segments are mapped, its
// fixups applied, and what it imports from libSystem is bound to the C library of Linux, by way of
// a shim where the two differ in a layout or a constant. A test tool for one program, tcfix: what
// tcfix does not call is not here.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct Image {
  uint8_t* memory; // where the lowest segment begins
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

/// Makes the variables of the image's threads: the descriptors, and what each thread begins with.
void prepareThreadVariables(void* descriptors, size_t size, const void* initial, size_t initialSize,
                            size_t wholeSize);
/// What `_NSGetExecutablePath` and `_NSGetArgv` give.
void setProgram(const char* path, int count, char** arguments);

_Noreturn void die(const char* format, ...);
