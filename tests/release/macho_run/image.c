// Mach-O: <mach-o/loader.h>; the opcodes of LC_DYLD_INFO as dyld interprets them.
#include "macho_run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  kMagic64 = 0xfeedfacf,
  kCpuX86_64 = 0x01000007,
  kExecute = 2,
  kSegment64 = 0x19,
  kDyldInfo = 0x80000022,
  kMain = 0x80000028,
  kChainedFixups = 0x80000034,
  kMaxSegments = 16,
  // Types of sections
  kInitPointers = 9,
  kThreadRegular = 0x11,
  kThreadZeroFill = 0x12,
  kThreadVariables = 0x13,
};

struct Header {
  uint32_t magic, cpu, cpuSubtype, fileType, commandCount, commandSize, flags, reserved;
};
struct Command {
  uint32_t kind, size;
};
struct Segment {
  uint32_t kind, size;
  char name[16];
  uint64_t address, memorySize, fileOffset, fileSize;
  uint32_t maxProtection, protection, sectionCount, flags;
};
struct Section {
  char name[16], segment[16];
  uint64_t address, size;
  uint32_t offset, align, relocations, relocationCount, flags, reserved[3];
};
struct DyldInfo {
  uint32_t kind, size, rebase, rebaseSize, bind, bindSize, weakBind, weakBindSize, lazyBind, lazyBindSize, exports,
      exportsSize;
};
struct EntryPoint {
  uint32_t kind, size;
  uint64_t offset, stackSize;
};

struct Parser {
  const uint8_t *file, *at, *end;
};

static struct Segment segments[kMaxSegments];
static const struct Section* sections[kMaxSegments];
static unsigned segmentCount;

static void* addressOf(const struct Image* image, uint64_t linked) {
  return image->memory + (linked - image->lowest);
}

static uint64_t uleb(struct Parser* parser) {
  uint64_t value = 0;
  for (unsigned shift = 0; parser->at < parser->end; shift += 7) {
    uint8_t byte = *parser->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  die("a number in the fixups is cut off");
}

static int64_t sleb(struct Parser* parser) {
  int64_t value = 0;
  unsigned shift = 0;
  uint8_t byte;
  do {
    byte = *parser->at++;
    value |= (int64_t)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80 && parser->at < parser->end);
  return byte & 0x40 && shift < 64 ? value | -(1LL << shift) : value;
}

static uint8_t* segmentAddress(const struct Image* image, unsigned index, uint64_t offset) {
  if (index >= segmentCount)
    die("a fixup names segment %u", index);
  return (uint8_t*)addressOf(image, segments[index].address) + offset;
}

static uint8_t* rebaseTimes(const struct Image* image, uint8_t* place, uint64_t times, uint64_t skip) {
  for (; times; --times, place += 8 + skip)
    *(uint64_t*)place += (uint64_t)image->memory - image->lowest;
  return place;
}

static void rebase(const struct Image* image, struct Parser parser) {
  uint8_t* place = NULL;
  while (parser.at < parser.end) {
    uint8_t byte = *parser.at++, value = byte & 0x0f;
    uint64_t times;
    switch (byte & 0xf0) {
    case 0x00: // done
      return;
    case 0x10: // type: a pointer
      break;
    case 0x20:
      place = segmentAddress(image, value, uleb(&parser));
      break;
    case 0x30:
      place += uleb(&parser);
      break;
    case 0x40:
      place += value * 8;
      break;
    case 0x50:
      place = rebaseTimes(image, place, value, 0);
      break;
    case 0x60:
      place = rebaseTimes(image, place, uleb(&parser), 0);
      break;
    case 0x70:
      place = rebaseTimes(image, place, 1, uleb(&parser));
      break;
    case 0x80:
      times = uleb(&parser);
      place = rebaseTimes(image, place, times, uleb(&parser));
      break;
    default:
      die("unknown rebase opcode %#x", byte);
    }
  }
}

static uint8_t* bindTimes(uint8_t* place, const char* symbol, int64_t addend, uint64_t times, uint64_t skip) {
  for (; times; --times, place += 8 + skip)
    *(uint64_t*)place = (uint64_t)findSymbol(symbol) + addend;
  return place;
}

/// Also lazy bindings, whose entries each end with "done".
static void bind(const struct Image* image, struct Parser parser) {
  uint8_t* place = NULL;
  const char* symbol = "";
  int64_t addend = 0;
  while (parser.at < parser.end) {
    uint8_t byte = *parser.at++, value = byte & 0x0f;
    uint64_t times;
    switch (byte & 0xf0) {
    case 0x00: // done
    case 0x10: // the library, libSystem in any case
    case 0x30:
    case 0x50: // type: a pointer
      break;
    case 0x20:
      uleb(&parser);
      break;
    case 0x40:
      symbol = (const char*)parser.at;
      parser.at += strlen(symbol) + 1;
      break;
    case 0x60:
      addend = sleb(&parser);
      break;
    case 0x70:
      place = segmentAddress(image, value, uleb(&parser));
      break;
    case 0x80:
      place += uleb(&parser);
      break;
    case 0x90:
      place = bindTimes(place, symbol, addend, 1, 0);
      break;
    case 0xa0:
      place = bindTimes(place, symbol, addend, 1, uleb(&parser));
      break;
    case 0xb0:
      place = bindTimes(place, symbol, addend, 1, value * 8);
      break;
    case 0xc0:
      times = uleb(&parser);
      place = bindTimes(place, symbol, addend, times, uleb(&parser));
      break;
    default:
      die("unknown bind opcode %#x", byte);
    }
  }
}

/// Copies the segments to free address space that is large enough for all of them.
static void mapSegments(struct Image* image, const uint8_t* file) {
  uint64_t end = 0;
  image->lowest = UINT64_MAX;
  for (unsigned i = 0; i < segmentCount; ++i) {
    if (!segments[i].protection) // __PAGEZERO
      continue;
    if (segments[i].address < image->lowest)
      image->lowest = segments[i].address;
    if (segments[i].address + segments[i].memorySize > end)
      end = segments[i].address + segments[i].memorySize;
  }
  image->memory = mmap(NULL, end - image->lowest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (image->memory == MAP_FAILED)
    die("no room for the program");
  for (unsigned i = 0; i < segmentCount; ++i)
    if (segments[i].protection)
      memcpy(addressOf(image, segments[i].address), file + segments[i].fileOffset, segments[i].fileSize);
}

static void protectSegments(const struct Image* image) {
  for (unsigned i = 0; i < segmentCount; ++i)
    if (segments[i].protection) // VM_PROT_READ, WRITE and EXECUTE have the values of PROT_
      mprotect(addressOf(image, segments[i].address), segments[i].memorySize, (int)segments[i].protection);
}

static void findThreadVariables(const struct Image* image) {
  const struct Section *descriptors = NULL, *regular = NULL, *zeroFill = NULL;
  for (unsigned i = 0; i < segmentCount; ++i)
    for (unsigned n = 0; n < segments[i].sectionCount; ++n) {
      const struct Section* section = &sections[i][n];
      uint8_t type = (uint8_t)section->flags;
      if (type == kThreadVariables)
        descriptors = section;
      else if (type == kThreadRegular)
        regular = section;
      else if (type == kThreadZeroFill)
        zeroFill = section;
    }
  if (!descriptors)
    return;
  // Initialized variables come first, then those that are zero.
  uint64_t begin = regular ? regular->address : zeroFill ? zeroFill->address : 0;
  uint64_t end = zeroFill ? zeroFill->address + zeroFill->size : regular ? begin + regular->size : 0;
  prepareThreadVariables(addressOf(image, descriptors->address), descriptors->size, addressOf(image, begin),
                         regular ? regular->size : 0, end - begin);
}

static void readCommands(const uint8_t* file, const struct DyldInfo** info, const struct EntryPoint** entry) {
  const struct Header* header = (const struct Header*)file;
  if (header->magic != kMagic64 || header->cpu != kCpuX86_64 || header->fileType != kExecute)
    die("not a macOS program for x86_64");
  const uint8_t* at = file + sizeof *header;
  for (unsigned i = 0; i < header->commandCount; ++i, at += ((const struct Command*)at)->size) {
    switch (((const struct Command*)at)->kind) {
    case kSegment64:
      if (segmentCount == kMaxSegments)
        die("too many segments");
      sections[segmentCount] = (const struct Section*)(at + sizeof(struct Segment));
      segments[segmentCount++] = *(const struct Segment*)at;
      break;
    case kDyldInfo:
      *info = (const struct DyldInfo*)at;
      break;
    case kMain:
      *entry = (const struct EntryPoint*)at;
      break;
    case kChainedFixups:
      die("chained fixups: not supported, and zig's linker writes none");
    }
  }
  if (!*info || !*entry)
    die("no fixups or no entry point");
}

struct Image loadImage(const char* path) {
  int descriptor = open(path, O_RDONLY);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    die("%s: cannot be opened", path);
  const uint8_t* file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (file == MAP_FAILED)
    die("%s: cannot be read", path);
  const struct DyldInfo* info = NULL;
  const struct EntryPoint* entry = NULL;
  readCommands(file, &info, &entry);
  struct Image image;
  mapSegments(&image, file);
  image.entry = image.memory + entry->offset; // __TEXT is the lowest segment
  rebase(&image, (struct Parser){file, file + info->rebase, file + info->rebase + info->rebaseSize});
  bind(&image, (struct Parser){file, file + info->bind, file + info->bind + info->bindSize});
  bind(&image, (struct Parser){file, file + info->lazyBind, file + info->lazyBind + info->lazyBindSize});
  // Weak bindings need no change: they refer to the program's own definitions, and no library has others.
  findThreadVariables(&image);
  protectSegments(&image);
  return image;
}

int runImage(const struct Image* image, const char* path, int count, char** arguments) {
  static char* apple[] = {NULL};
  extern char** environ;
  setProgram(path, count, arguments);
  for (unsigned i = 0; i < segmentCount; ++i)
    for (unsigned n = 0; n < segments[i].sectionCount; ++n) {
      const struct Section* section = &sections[i][n];
      if ((uint8_t)section->flags != kInitPointers)
        continue;
      typedef void Initializer(int, char**, char**, char**);
      Initializer** functions = addressOf(image, section->address);
      for (uint64_t f = 0; f < section->size / sizeof *functions; ++f)
        functions[f](count, arguments, environ, apple);
    }
  int (*start)(int, char**, char**, char**) = (int (*)(int, char**, char**, char**))image->entry;
  return start(count, arguments, environ, apple);
}
