/* Builds Windows paths from entries of the search list. Plain functions on buffers of kRoom
 * characters, so that tests can run them on any platform. */
#ifndef TCFIX_PE_HELPER_PATHS_H
#define TCFIX_PE_HELPER_PATHS_H

#include <stdint.h>

typedef uint16_t Char;

enum {
  kMaxPath = 260, /* the limit of Windows without a prefix, including the terminator */
  kRoom = 32768   /* the longest path on Windows */
};

static int isSeparator(Char character) {
  return character == '\\' || character == '/';
}

/* The length of `$ORIGIN` or `@loader_path` at the start of an entry; 0 if there is neither. */
static uint32_t originLength(const Char* entry) {
  const char* word = entry[0] == '$' ? "$ORIGIN" : "@loader_path";
  uint32_t length = 0;
  for (; word[length]; ++length)
    if (entry[length] != (uint8_t)word[length])
      return 0;
  return entry[length] == 0 || isSeparator(entry[length]) ? length : 0;
}

/* The length of the part that `..` cannot leave: `C:\`, `\\server\share\`, either with `\\?\`.
 * 0 for a path that is not absolute. */
static uint32_t rootLength(const Char* path) {
  uint32_t at = 0, names = 0;
  if (path[0] == '\\' && path[1] == '\\') {
    at = 2;
    names = 2;
    if (path[2] == '?' && path[3] == '\\') {
      int isShare = path[4] == 'U' && path[5] == 'N' && path[6] == 'C' && path[7] == '\\';
      at = isShare ? 8 : 4;
      names = isShare ? 2 : 0;
    }
  }
  if (names == 0)
    return path[at] && path[at + 1] == ':' && path[at + 2] == '\\' ? at + 3 : 0;
  for (; names; --names) {
    while (path[at] && path[at] != '\\')
      ++at;
    if (path[at] == '\\')
      ++at;
    else if (names > 1)
      return 0;
  }
  return at;
}

/* Removes `.`, `..` and repeated separators from an absolute path, which the system does not do for
 * paths with the long-path prefix. Returns the new length. */
static uint32_t collapse(Char* path, uint32_t root) {
  uint32_t out = root, in = root;
  while (path[in]) {
    uint32_t begin = in;
    while (path[in] && path[in] != '\\')
      ++in;
    uint32_t length = in - begin;
    if (path[in])
      ++in;
    if (length == 0 || (length == 1 && path[begin] == '.'))
      continue;
    if (length == 2 && path[begin] == '.' && path[begin + 1] == '.') {
      while (out > root && path[out - 1] != '\\')
        --out;
      out -= out > root;
      continue;
    }
    if (out > root && path[out - 1] != '\\')
      path[out++] = '\\';
    for (uint32_t i = 0; i < length; ++i)
      path[out++] = path[begin + i];
  }
  path[out] = 0;
  return out;
}

/* Adds the prefix `\\?\` (or `\\?\UNC\`) to a path that is too long without it. */
static int allowLength(Char* path, uint32_t length) {
  if (length < kMaxPath || (path[0] == '\\' && path[1] == '\\' && path[2] == '?'))
    return 1;
  int isShare = path[0] == '\\';
  uint32_t skip = isShare ? 2 : 0, grow = isShare ? 8 : 4;
  if (length + grow - skip + 1 > kRoom)
    return 0;
  for (uint32_t i = length + 1; i-- > skip;)
    path[i + grow - skip] = path[i];
  const char* prefix = "\\\\?\\UNC\\";
  for (uint32_t i = 0; i < grow; ++i)
    path[i] = (uint8_t)prefix[i];
  return 1;
}

static uint32_t append(Char* path, uint32_t at, const Char* text) {
  for (; *text && at + 1 < kRoom; ++text)
    path[at++] = *text == '/' ? '\\' : *text;
  return at;
}

/* Sets `path` to the file `name` in the folder `entry`, where `$ORIGIN` is `origin`. 0 if that is
 * not an absolute path, or too long. */
static int makePath(Char* path, const Char* origin, const Char* entry, const char* name) {
  uint32_t word = originLength(entry), at = 0;
  if (word)
    at = append(path, at, origin);
  at = append(path, at, entry + word);
  if (at + 1 < kRoom)
    path[at++] = '\\';
  for (; *name && at + 1 < kRoom; ++name)
    path[at++] = (uint8_t)*name;
  path[at] = 0;
  if (at + 1 >= kRoom)
    return 0;
  uint32_t root = rootLength(path);
  return root && allowLength(path, collapse(path, root));
}

#endif
