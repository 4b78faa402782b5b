/* The data that tcfix writes into a converted DLL and the helper in that DLL reads; both include
 * this file. Little-endian; every address is an RVA; 0 means "none".
 *
 * Section .tcfixt contains the helper's code, section .tcfixd starts with a TcfixRecord. */
#ifndef TCFIX_PE_HELPER_LAYOUT_H
#define TCFIX_PE_HELPER_LAYOUT_H

#include <stdint.h>

/* The functions that the helper imports from KERNEL32.dll, in the order of the slots in
 * TcfixRecord. */
#define TCFIX_KERNEL_FUNCTIONS(X)                                                                  \
  X(ExpandEnvironmentStringsW)                                                                     \
  X(FreeLibrary)                                                                                   \
  X(GetFileAttributesW)                                                                            \
  X(GetLastError)                                                                                  \
  X(GetModuleFileNameW)                                                                            \
  X(GetProcAddress)                                                                                \
  X(LoadLibraryExW)                                                                                \
  X(OutputDebugStringW)                                                                            \
  X(RaiseException)                                                                                \
  X(VirtualAlloc)                                                                                  \
  X(VirtualFree)                                                                                   \
  X(VirtualProtect)

#define TCFIX_COUNT(name) +1
enum { kTcfixKernelFunctions = 0 TCFIX_KERNEL_FUNCTIONS(TCFIX_COUNT) };

/* Embedded in the helper's code, which finds its own address with it; it needs no relocations. */
typedef struct {
  uint32_t selfRva;   /* of this struct */
  uint32_t recordRva; /* of the TcfixRecord */
} TcfixPlace;

/* How an entry of the table below changes one dependency. */
enum {
  kTcfixRenamed = 0, /* an import, or a linker-made delay import, under another name */
  kTcfixEager = 1,   /* bound before the DLL's own code runs */
  kTcfixLazy = 2     /* each function bound when it is first called */
};

/* A dependency, identified by its address slots, which never move. */
typedef struct {
  uint32_t slots;
  uint32_t kind;
  uint32_t newName; /* the name that replaces the original one */
  uint32_t thunks;  /* lazy: the first of one thunk for each slot, kTcfixThunkSize apart */
} TcfixEntry;

enum { kTcfixThunkSize = 10 }; /* mov eax, slot; jmp helper */

/* `state` while the DLL is in memory; 0 in the file. */
enum { kTcfixUnbound = 0, kTcfixBound = 1, kTcfixFailed = 2 };

typedef struct {
  char magic[8];
  uint32_t size;             /* of everything in the section */
  uint32_t originalEntry;    /* the DLL's own entry point, called by the helper's */
  uint32_t tlsCallbacks;     /* the array of TLS callbacks whose first the helper's replaces */
  uint32_t firstTlsCallback; /* that first callback */
  uint32_t delayTable;       /* the delay descriptors of the first `delayedCount` entries */
  uint32_t delayedCount;
  uint32_t entries; /* TcfixEntry[entryCount]: first the delayed ones, then the renamed */
  uint32_t entryCount;
  uint32_t searchList; /* zero-terminated UTF-16 strings; an empty one ends the list */
  uint32_t savedBytes; /* the bytes that tcfix replaced: {offset, length, bytes}... */
  uint32_t savedCount;
  uint32_t state;
  uint64_t kernel[kTcfixKernelFunctions + 1]; /* address slots, then a zero */
} TcfixRecord;

#define TCFIX_MAGIC "tcfixpe1"

#endif
