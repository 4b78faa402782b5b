// Whatever text is pasted, it is explained, and every finding has a sentence.
//
// The input is the text.
#include "fuzz/promise.h"

#include "base/bytes.h"
#include "traceback/explain.h"

using namespace tcfix;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const doctor::Diagnosis diagnosis =
      traceback::explainTraceback(textOf(Bytes(data, size)), "fuzz");
  for (const doctor::Finding* finding : diagnosis.findings())
    fuzz::promise(!finding->message.empty(), "a finding says what is wrong");
  return 0;
}
