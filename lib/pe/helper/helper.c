/* The helper that tcfix adds to a DLL with delayed imports: it loads those DLLs from the embedded
 * search list, before any code of the DLL itself runs.
 *
 * It runs before the DLL's entry point (and before its first TLS callback, if there is one, because
 * those run even earlier). Binding at this point, and not at the first call, means that imported
 * data works, that threads cannot race, and that a missing DLL makes LoadLibrary fail, as with
 * ordinary imports. Functions of a lazy DLL are bound when they are first called.
 *
 * Freestanding: no C runtime, no writable data of its own, no relocations. It calls the system
 * through slots of the record, which the loader has filled. It runs under the loader lock, where
 * Microsoft discourages LoadLibrary; docs/limits.md describes the consequences.
 */
#include "layout.h"
#include "paths.h"

typedef void* Module;

enum {
  kProcessAttach = 1,
  kErrorInvalidParameter = 87,
  kErrorModuleNotFound = 126,
  kPageReadWrite = 4,
  kCommitAndReserve = 0x3000,
  kRelease = 0x8000,
  kInvalidAttributes = -1,
  /* LoadLibraryExW: also search the folder of the loaded DLL for its dependencies, then where Python
   * looks (the folders of AddDllDirectory, System32). */
  kSearchDllLoadDir = 0x100,
  kSearchDefaultDirs = 0x1000,
  /* The same with the standard search order, which includes PATH. */
  kAlteredSearchPath = 8,
  /* The exceptions of Microsoft's own delay-load helper, for programs that handle them. */
  kExceptionModuleNotFound = (int)0xC06D007E,
  kExceptionProcedureNotFound = (int)0xC06D007F,
  kNonContinuable = 1
};

typedef struct {
  uint32_t attributes, name, module, slots, names, bound, unload, time;
} DelayDescriptor;

typedef struct {
  uint32_t (*expandEnvironmentStrings)(const Char*, Char*, uint32_t);
  int32_t (*freeLibrary)(Module);
  int32_t (*getFileAttributes)(const Char*);
  uint32_t (*getLastError)(void);
  uint32_t (*getModuleFileName)(Module, Char*, uint32_t);
  void* (*getProcAddress)(Module, const char*);
  Module (*loadLibraryEx)(const Char*, void*, uint32_t);
  void (*outputDebugString)(const Char*);
  void (*raiseException)(uint32_t, uint32_t, uint32_t, const void*);
  void* (*virtualAlloc)(void*, uint64_t, uint32_t, uint32_t);
  int32_t (*virtualFree)(void*, uint64_t, uint32_t);
  int32_t (*virtualProtect)(void*, uint64_t, uint32_t, uint32_t*);
} Kernel;
_Static_assert(sizeof(Kernel) == sizeof(uint64_t) * kTcfixKernelFunctions, "one slot each");

typedef struct {
  uint8_t* base;
  TcfixRecord* record;
  const Kernel* kernel;
} Image;

/* Buffers for paths, and a log of what was tried, printed only on failure. */
typedef struct {
  Char origin[kRoom];   /* the folder of this DLL */
  Char expanded[kRoom]; /* an entry of the list, its variables expanded */
  Char path[kRoom];
  Char log[kRoom];
  uint32_t logged;
} Scratch;

__attribute__((section(".text"), used)) const volatile TcfixPlace tcfixPlace = {0, 0};

static Image findImage(void) {
  Image image;
  /* Hide the object from the compiler, so that the RVAs are read at run time. */
  const volatile TcfixPlace* place = &tcfixPlace;
  __asm__("" : "+r"(place));
  image.base = (uint8_t*)place - place->selfRva;
  image.record = (TcfixRecord*)(image.base + place->recordRva);
  image.kernel = (const Kernel*)image.record->kernel;
  return image;
}

static DelayDescriptor* descriptorOf(const Image* image, uint32_t index) {
  return (DelayDescriptor*)(image->base + image->record->delayTable) + index;
}

static TcfixEntry* entryOf(const Image* image, uint32_t index) {
  return (TcfixEntry*)(image->base + image->record->entries) + index;
}

static uint32_t slotCount(const Image* image, const DelayDescriptor* descriptor) {
  const uint64_t* names = (const uint64_t*)(image->base + descriptor->names);
  uint32_t count = 0;
  while (names[count])
    ++count;
  return count;
}

/* ---- Logging ---- */

static void logChar(Scratch* scratch, Char character) {
  if (scratch->logged + 1 < kRoom)
    scratch->log[scratch->logged++] = character;
}

static void logText(Scratch* scratch, const Char* text) {
  for (; *text; ++text)
    logChar(scratch, *text);
}

static void logAscii(Scratch* scratch, const char* text) {
  for (; *text; ++text)
    logChar(scratch, (uint8_t)*text);
}

static void logNumber(Scratch* scratch, uint32_t number) {
  uint32_t power = 1;
  while (number / power >= 10)
    power *= 10;
  for (; power; power /= 10)
    logChar(scratch, '0' + number / power % 10);
}

/* ---- Paths ---- */

/* Sets scratch->path to the file `name` in the folder given by `entry`; 0 if the entry is not an
 * absolute path, as with a variable that is not set. */
static int composePath(const Image* image, Scratch* scratch, const Char* entry, const char* name) {
  uint32_t length = image->kernel->expandEnvironmentStrings(entry, scratch->expanded, kRoom);
  return length && length <= kRoom &&
         makePath(scratch->path, scratch->origin, scratch->expanded, name);
}

static void findOrigin(const Image* image, Scratch* scratch) {
  uint32_t length = image->kernel->getModuleFileName(image->base, scratch->origin, kRoom);
  if (length >= kRoom)
    length = 0;
  while (length && !isSeparator(scratch->origin[length - 1]))
    --length;
  scratch->origin[length ? length - 1 : 0] = 0;
}

/* ---- Loading ---- */

static void logFailure(const Image* image, Scratch* scratch, const Char* place) {
  uint32_t error = image->kernel->getLastError();
  logAscii(scratch, "\n  ");
  logText(scratch, place);
  if (error == kErrorModuleNotFound) {
    logAscii(scratch, ": found, but a DLL that it depends on is missing");
  } else {
    logAscii(scratch, ": failed to load, Windows error ");
    logNumber(scratch, error);
  }
}

static Module loadFrom(const Image* image, Scratch* scratch, const Char* entry, const char* name) {
  const Kernel* kernel = image->kernel;
  if (!composePath(image, scratch, entry, name)) {
    logAscii(scratch, "\n  ");
    logText(scratch, entry);
    logAscii(scratch, ": not an absolute path");
    return 0;
  }
  if (kernel->getFileAttributes(scratch->path) == kInvalidAttributes) {
    logAscii(scratch, "\n  ");
    logText(scratch, scratch->path);
    logAscii(scratch, ": not found");
    return 0;
  }
  Module module = kernel->loadLibraryEx(scratch->path, 0, kSearchDllLoadDir | kSearchDefaultDirs);
  uint32_t error = module ? 0 : kernel->getLastError();
  /* Its dependencies may be on PATH, and old versions of Windows do not support those flags. */
  if (error == kErrorModuleNotFound || error == kErrorInvalidParameter)
    module = kernel->loadLibraryEx(scratch->path, 0, kAlteredSearchPath);
  if (!module)
    logFailure(image, scratch, scratch->path);
  return module;
}

static Module loadPlain(const Image* image, Scratch* scratch, const char* name, uint32_t flags) {
  uint32_t at = 0;
  do
    scratch->path[at] = (uint8_t)name[at];
  while (name[at++]);
  return image->kernel->loadLibraryEx(scratch->path, 0, flags);
}

/* Tries each entry of the list, then the name alone: a DLL that is already loaded, the default
 * folders, this DLL's own folder (where Python's ordinary search starts), PATH. */
static Module load(const Image* image, Scratch* scratch, const char* name) {
  static const Char kOrigin[] = {'$', 'O', 'R', 'I', 'G', 'I', 'N', 0};
  const Char* entry = (const Char*)(image->base + image->record->searchList);
  Module module = 0;
  for (; *entry && !module; ++entry) {
    module = loadFrom(image, scratch, entry, name);
    while (*entry)
      ++entry;
  }
  if (!module)
    module = loadPlain(image, scratch, name, kSearchDefaultDirs);
  if (!module)
    module = loadFrom(image, scratch, kOrigin, name);
  if (!module)
    module = loadPlain(image, scratch, name, 0);
  if (!module)
    logAscii(scratch, "\n  default search: not found");
  return module;
}

static Scratch* begin(const Image* image, const char* name) {
  Scratch* scratch =
      image->kernel->virtualAlloc(0, sizeof(Scratch), kCommitAndReserve, kPageReadWrite);
  if (!scratch)
    return 0;
  findOrigin(image, scratch);
  logAscii(scratch, "tcfix: ");
  image->kernel->getModuleFileName(image->base, scratch->path, kRoom);
  logText(scratch, scratch->path);
  logAscii(scratch, " needs ");
  logAscii(scratch, name);
  return scratch;
}

static void end(const Image* image, Scratch* scratch, int isGood) {
  if (!isGood) {
    logChar(scratch, '\n');
    scratch->log[scratch->logged] = 0;
    image->kernel->outputDebugString(scratch->log);
  }
  image->kernel->virtualFree(scratch, 0, kRelease);
}

static void* find(const Image* image, Scratch* scratch, Module module, uint64_t wanted) {
  int isOrdinal = wanted >> 63 != 0;
  const char* name = isOrdinal ? (const char*)(wanted & 0xffff)
                               : (const char*)(image->base + (uint32_t)wanted + 2);
  void* found = image->kernel->getProcAddress(module, name);
  if (!found && scratch) {
    logAscii(scratch, ", but\n  ");
    image->kernel->getModuleFileName(module, scratch->path, kRoom);
    logText(scratch, scratch->path);
    logAscii(scratch, isOrdinal ? "\n  does not export ordinal " : "\n  does not export ");
    if (isOrdinal)
      logNumber(scratch, (uint32_t)wanted & 0xffff);
    else
      logAscii(scratch, name);
  }
  return found;
}

/* ---- Binding ---- */

static int bindEager(const Image* image, const DelayDescriptor* descriptor) {
  const Kernel* kernel = image->kernel;
  const char* name = (const char*)(image->base + descriptor->name);
  Scratch* scratch = begin(image, name);
  if (!scratch)
    return 0;
  Module module = load(image, scratch, name);
  *(Module*)(image->base + descriptor->module) = module;
  const uint64_t* names = (const uint64_t*)(image->base + descriptor->names);
  void** slots = (void**)(image->base + descriptor->slots);
  uint64_t size = sizeof(void*) * (uint64_t)slotCount(image, descriptor);
  uint32_t protection = 0;
  int isGood =
      module && (!size || kernel->virtualProtect(slots, size, kPageReadWrite, &protection));
  if (isGood && size) {
    for (; isGood && *names; ++names, ++slots) {
      void* found = find(image, scratch, module, *names);
      isGood = found != 0;
      if (isGood)
        *slots = found;
    }
    kernel->virtualProtect(image->base + descriptor->slots, size, protection, &protection);
  }
  end(image, scratch, isGood);
  return isGood;
}

/* The slots of a lazy DLL stay writable: changing the protection at every first call would be a race
 * between threads. */
static int prepareLazy(const Image* image, const DelayDescriptor* descriptor, uint32_t thunks) {
  void** slots = (void**)(image->base + descriptor->slots);
  uint32_t count = slotCount(image, descriptor), protection;
  if (count && !image->kernel->virtualProtect(slots, sizeof(void*) * (uint64_t)count,
                                              kPageReadWrite, &protection))
    return 0;
  for (uint32_t i = 0; i < count; ++i)
    slots[i] = image->base + thunks + kTcfixThunkSize * i;
  return 1;
}

static int bindAll(const Image* image) {
  uint32_t count = image->record->delayedCount, done = 0;
  int isGood = 1;
  for (; isGood && done < count; ++done)
    if (entryOf(image, done)->kind == kTcfixEager)
      isGood = bindEager(image, descriptorOf(image, done));
  /* After the eager ones, which restore the protection of the pages. */
  for (uint32_t i = 0; isGood && i < count; ++i)
    if (entryOf(image, i)->kind == kTcfixLazy)
      isGood = prepareLazy(image, descriptorOf(image, i), entryOf(image, i)->thunks);
  if (isGood)
    return 1;
  /* The load fails: unload what was loaded for it. */
  while (done-- > 0) {
    Module* module = (Module*)(image->base + descriptorOf(image, done)->module);
    if (*module)
      image->kernel->freeLibrary(*module);
    *module = 0;
  }
  return 0;
}

static int ensureBound(const Image* image) {
  TcfixRecord* record = image->record;
  if (record->state == kTcfixUnbound)
    record->state = bindAll(image) ? kTcfixBound : kTcfixFailed;
  return record->state == kTcfixBound;
}

/* The new entry point. If binding failed, the original entry point was never called, so it does not
 * get the loader's detach notification either. */
int32_t tcfixEntry(void* module, uint32_t reason, void* reserved) {
  Image image = findImage();
  if (reason == kProcessAttach && !ensureBound(&image))
    return 0;
  if (image.record->state != kTcfixBound || !image.record->originalEntry)
    return 1;
  typedef int32_t (*Entry)(void*, uint32_t, void*);
  return ((Entry)(image.base + image.record->originalEntry))(module, reason, reserved);
}

/* The new first TLS callback. It cannot make the load fail; the entry point does that right after.
 * The following callbacks must not call through empty slots, so it terminates their list. */
void tcfixTlsCallback(void* module, uint32_t reason, void* reserved) {
  Image image = findImage();
  if (reason == kProcessAttach && !ensureBound(&image)) {
    void** next = (void**)(image.base + image.record->tlsCallbacks) + 1;
    uint32_t protection;
    if (image.kernel->virtualProtect(next, sizeof(*next), kPageReadWrite, &protection)) {
      *next = 0;
      image.kernel->virtualProtect(next, sizeof(*next), protection, &protection);
    }
  }
  if (image.record->state != kTcfixBound)
    return;
  typedef void (*Callback)(void*, uint32_t, void*);
  ((Callback)(image.base + image.record->firstTlsCallback))(module, reason, reserved);
}

/* Two threads may call this at once for the same slot; both find the same address. */
__attribute__((used)) static void* resolveLazy(uint32_t slot) {
  Image image = findImage();
  uint32_t index = 0;
  DelayDescriptor* descriptor = descriptorOf(&image, index);
  while (slot < descriptor->slots ||
         slot >= descriptor->slots + sizeof(void*) * slotCount(&image, descriptor))
    descriptor = descriptorOf(&image, ++index);
  const char* name = (const char*)(image.base + descriptor->name);
  uint64_t wanted = *(const uint64_t*)(image.base + descriptor->names + (slot - descriptor->slots));
  Module* module = (Module*)(image.base + descriptor->module);
  void* found = *module ? find(&image, 0, *module, wanted) : 0;
  if (!found) {
    Scratch* scratch = begin(&image, name);
    if (scratch) {
      if (!*module)
        *module = load(&image, scratch, name);
      if (*module)
        found = find(&image, scratch, *module, wanted);
      end(&image, scratch, found != 0);
    }
  }
  if (!found)
    image.kernel->raiseException(*module ? kExceptionProcedureNotFound : kExceptionModuleNotFound,
                                 kNonContinuable, 0, 0);
  *(void**)(image.base + slot) = found;
  return found;
}

/* Target of all lazy thunks, with the slot in eax. Preserves the arguments of the call, including
 * those in vector registers, and jumps to the function as if it had been called directly. */
__attribute__((naked)) void tcfixLazyCall(void) {
  __asm__(".seh_proc tcfixLazyCall\n"
          "subq $0xa8, %rsp\n"
          ".seh_stackalloc 0xa8\n"
          ".seh_endprologue\n"
          "movaps %xmm0, 0x20(%rsp)\n"
          "movaps %xmm1, 0x30(%rsp)\n"
          "movaps %xmm2, 0x40(%rsp)\n"
          "movaps %xmm3, 0x50(%rsp)\n"
          "movaps %xmm4, 0x60(%rsp)\n"
          "movaps %xmm5, 0x70(%rsp)\n"
          "movq %rcx, 0x80(%rsp)\n"
          "movq %rdx, 0x88(%rsp)\n"
          "movq %r8, 0x90(%rsp)\n"
          "movq %r9, 0x98(%rsp)\n"
          "movl %eax, %ecx\n"
          "callq resolveLazy\n"
          "movaps 0x20(%rsp), %xmm0\n"
          "movaps 0x30(%rsp), %xmm1\n"
          "movaps 0x40(%rsp), %xmm2\n"
          "movaps 0x50(%rsp), %xmm3\n"
          "movaps 0x60(%rsp), %xmm4\n"
          "movaps 0x70(%rsp), %xmm5\n"
          "movq 0x80(%rsp), %rcx\n"
          "movq 0x88(%rsp), %rdx\n"
          "movq 0x90(%rsp), %r8\n"
          "movq 0x98(%rsp), %r9\n"
          "addq $0xa8, %rsp\n"
          "jmpq *%rax\n"
          ".seh_endproc\n");
}
