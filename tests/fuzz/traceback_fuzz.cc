// Any text gives a diagnosis, and every finding has a message. The input is the text.
#include "fuzz/property.h"

#include "base/bytes.h"
#include "traceback/explain.h"

using namespace tcfix;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const doctor::Diagnosis diagnosis =
      traceback::explainTraceback(textOf(Bytes(data, size)), "fuzz");
  for (const doctor::Finding* finding : diagnosis.findings())
    fuzz::expect(!finding->message.empty(), "every finding has a message");
  return 0;
}
