#include "env/record.h"

#include "base/error.h"
#include "io/digest.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Base64.h>

#include <algorithm>
#include <utility>

namespace tcfix::env {

namespace {

constexpr llvm::StringLiteral kByteOrderMark = "\xef\xbb\xbf";

/// One field of a CSV row: its value, and its size in bytes.
struct Field {
  std::string value;
  size_t size = 0;
};

/// The field at the start of `text`; nothing if a quote is not closed. A doubled quote is a literal
/// quote, and a quoted field may contain commas and line ends (RFC 4180).
std::optional<Field> readField(llvm::StringRef text) {
  Field field;
  if (!text.starts_with("\"")) {
    field.size = std::min(text.find_first_of(",\r\n"), text.size());
    field.value = text.take_front(field.size).str();
    return field;
  }
  for (size_t at = 1; at < text.size(); ++at) {
    if (text[at] != '"') {
      field.value += text[at];
    } else if (text.substr(at).starts_with("\"\"")) {
      field.value += text[at++];
    } else {
      field.size = at + 1;
      return field;
    }
  }
  return std::nullopt;
}

llvm::StringRef lineEnd(llvm::StringRef text) {
  if (text.starts_with("\r\n"))
    return text.take_front(2);
  return text.take_front(text.starts_with("\n") || text.starts_with("\r") ? 1 : 0);
}

std::string csvField(llvm::StringRef path, bool always = false) {
  if (!always && path.find_first_of("\",\r\n") == llvm::StringRef::npos)
    return path.str();
  std::string text = "\"";
  for (char letter : path)
    text.append(letter == '"' ? 2 : 1, letter);
  return text + "\"";
}

} // namespace

llvm::Expected<Record> Record::parse(llvm::StringRef text) {
  Record record;
  std::string before;
  if (text.starts_with(kByteOrderMark)) {
    before = kByteOrderMark.str();
    text = text.drop_front(kByteOrderMark.size());
  }
  size_t number = 1;
  auto malformed = [&](const char* what) {
    return fail(ErrorCode::Malformed, "line " + std::to_string(number) + " " + what);
  };
  while (!text.empty()) {
    if (llvm::StringRef end = lineEnd(text); !end.empty()) {
      before += end;
      text = text.drop_front(end.size());
      ++number;
      continue;
    }
    std::vector<std::string> values;
    Line line;
    line.before = std::exchange(before, {});
    llvm::StringRef whole = text;
    for (bool hasMore = true; hasMore;) {
      std::optional<Field> field = readField(text);
      if (!field)
        return malformed("has an unterminated quote");
      if (values.empty())
        line.path = text.take_front(field->size).str();
      values.push_back(std::move(field->value));
      text = text.drop_front(field->size);
      hasMore = text.consume_front(",");
    }
    llvm::StringRef end = lineEnd(text);
    if (end.empty() && !text.empty())
      return malformed("has text after a quoted field");
    size_t size = whole.size() - text.size();
    line.rest = whole.substr(line.path.size(), size - line.path.size()).str();
    line.end = end.str();
    text = text.drop_front(end.size());

    RecordRow row;
    row.path = values[0];
    row.digest = values.size() > 1 ? values[1] : "";
    if (values.size() > 3)
      return malformed("has more than three fields");
    if (row.path.empty() || llvm::StringRef(row.path).contains('\0'))
      return malformed("has no path");
    if (uint64_t bytes; values.size() == 3 && !values[2].empty()) {
      if (llvm::StringRef(values[2]).getAsInteger(10, bytes))
        return malformed("has an invalid size");
      row.size = bytes;
    }
    number += whole.take_front(size).count('\n') + 1;
    record.table.push_back(std::move(row));
    record.lines.push_back(std::move(line));
  }
  record.tail = std::move(before);
  return record;
}

const RecordRow* Record::find(llvm::StringRef path) const {
  auto row = llvm::find_if(table, [&](const RecordRow& each) { return each.path == path; });
  return row == table.end() ? nullptr : &*row;
}

void Record::set(llvm::StringRef path, llvm::StringRef digest, std::optional<uint64_t> size) {
  std::string rest = "," + digest.str() + "," + (size ? std::to_string(*size) : "");
  if (!find(path)) {
    // With the file's own line end, also after a last line without one.
    std::string end = lines.empty() || lines.front().end.empty() ? "\n" : lines.front().end;
    if (!lines.empty() && lines.back().end.empty())
      lines.back().end = end;
    lines.push_back({std::exchange(tail, {}), csvField(path), rest, end});
    table.push_back({path.str(), digest.str(), size});
    return;
  }
  for (size_t i = 0; i < table.size(); ++i) {
    RecordRow& row = table[i];
    if (row.path != path || (row.digest == digest && row.size == size))
      continue;
    row.digest = digest.str();
    row.size = size;
    lines[i].rest = rest;
  }
}

void Record::remove(llvm::StringRef path) {
  for (size_t i = table.size(); i-- > 0;)
    if (table[i].path == path) {
      std::string& next = i + 1 < lines.size() ? lines[i + 1].before : tail;
      next = lines[i].before + next;
      table.erase(table.begin() + static_cast<ptrdiff_t>(i));
      lines.erase(lines.begin() + static_cast<ptrdiff_t>(i));
    }
}

void Record::rename(llvm::function_ref<std::string(llvm::StringRef)> renamed) {
  for (size_t i = 0; i < table.size(); ++i) {
    std::string path = renamed(table[i].path);
    if (path == table[i].path)
      continue;
    bool wasQuoted = llvm::StringRef(lines[i].path).starts_with("\"");
    table[i].path = path;
    lines[i].path = csvField(path, wasQuoted);
  }
}

std::string Record::text() const {
  std::string text;
  for (const Line& line : lines)
    text += line.before + line.path + line.rest + line.end;
  return text + tail;
}

bool hasListedContent(const RecordRow& row, Bytes bytes) {
  if (row.size.value_or(bytes.size()) != bytes.size())
    return false;
  std::optional<std::string> digest = llvm::expectedToOptional(io::sha256Of(bytes));
  return digest && recordDigest(*digest) == row.digest;
}

std::string recordDigest(llvm::StringRef sha256Hex) {
  std::string text = llvm::encodeBase64(llvm::fromHex(sha256Hex));
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return "sha256=" + llvm::StringRef(text).rtrim('=').str();
}

} // namespace tcfix::env
