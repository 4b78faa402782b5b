#include "io/process.h"

#include "io/system.h"

#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/Program.h>

#include <memory>
#include <windows.h>

namespace tcfix::io {

namespace {

using std::chrono::steady_clock;

/// Time between checks of the deadline, the process and an interrupt.
constexpr DWORD kPauseMs = 20;

class Handle {
public:
  Handle() = default;
  explicit Handle(HANDLE value) : value(value) {}
  ~Handle() { close(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void close() {
    if (value && value != INVALID_HANDLE_VALUE)
      ::CloseHandle(value);
    value = nullptr;
  }
  HANDLE get() const { return value; }
  HANDLE* place() { return &value; }

private:
  HANDLE value = nullptr;
};

/// The program's output: the end that we read and the end that it inherits.
struct OutputPipe {
  Handle readEnd, writeEnd;

  bool open() {
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, nullptr, TRUE};
    return ::CreatePipe(readEnd.place(), writeEnd.place(), &inherited, 0) &&
           ::SetHandleInformation(readEnd.get(), HANDLE_FLAG_INHERIT, 0);
  }
  /// Reads what is available now: a process that writes continuously must not block us.
  void readInto(Tail& tail) const {
    constexpr int kMaxReads = 64;
    char buffer[1 << 16];
    DWORD available = 0, size = 0;
    for (int reads = 0; reads < kMaxReads; ++reads) {
      if (!::PeekNamedPipe(readEnd.get(), nullptr, 0, nullptr, &available, nullptr) ||
          available == 0 || !::ReadFile(readEnd.get(), buffer, sizeof buffer, &size, nullptr))
        return;
      tail.append({buffer, size});
    }
  }
};

/// The program's environment variables in CreateProcess's format.
std::wstring variablesFor(const ProcessRequest& request) {
  std::wstring block;
  wchar_t* all = ::GetEnvironmentStringsW();
  for (const wchar_t* each = all; each && *each; each += std::wcslen(each) + 1) {
    std::string text;
    llvm::convertWideToUTF8(each, text);
    if (isKept(llvm::StringRef(text).upper(), request.withoutVariables))
      block.append(each).push_back(L'\0');
  }
  if (all)
    ::FreeEnvironmentStringsW(all);
  for (const std::string& variable : request.variables) {
    std::wstring wide;
    llvm::ConvertUTF8toWide(variable, wide);
    block.append(wide).push_back(L'\0');
  }
  block.push_back(L'\0');
  return block;
}

/// A job whose processes end when it is closed.
HANDLE createJob() {
  HANDLE job = ::CreateJobObjectW(nullptr, nullptr);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (job)
    ::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

/// STARTUPINFOEX that passes on these handles and no others.
class Startup {
public:
  Startup(HANDLE input, HANDLE output, HANDLE errors) : handles{input, output, errors} {
    info.StartupInfo.cb = sizeof info;
    info.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    info.StartupInfo.hStdInput = input;
    info.StartupInfo.hStdOutput = output;
    info.StartupInfo.hStdError = errors;
    SIZE_T size = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    memory = std::make_unique<char[]>(size);
    info.lpAttributeList = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory.get());
    ::InitializeProcThreadAttributeList(info.lpAttributeList, 1, 0, &size);
    ::UpdateProcThreadAttribute(info.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles,
                                sizeof handles, nullptr, nullptr);
  }
  ~Startup() { ::DeleteProcThreadAttributeList(info.lpAttributeList); }
  Startup(const Startup&) = delete;
  Startup& operator=(const Startup&) = delete;

  STARTUPINFOW* get() { return &info.StartupInfo; }

private:
  HANDLE handles[3];
  STARTUPINFOEXW info = {};
  std::unique_ptr<char[]> memory;
};

std::string lastError() {
  return std::error_code(static_cast<int>(::GetLastError()), std::system_category()).message();
}

} // namespace

ProcessResult runProcess(const ProcessRequest& request) {
  ProcessResult result;
  OutputPipe output, errors;
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, nullptr, TRUE};
  Handle input(::CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                             OPEN_EXISTING, 0, nullptr));
  Handle job(createJob());
  std::vector<llvm::StringRef> words = {request.program};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  llvm::ErrorOr<std::wstring> line = llvm::sys::flattenWindowsCommandLine(words);
  std::wstring program, variables = variablesFor(request);
  if (!output.open() || !errors.open() || !job.get() || !line ||
      !llvm::ConvertUTF8toWide(request.program, program)) {
    result.message = line ? lastError() : line.getError().message();
    return result;
  }
  Startup startup(input.get(), output.writeEnd.get(), errors.writeEnd.get());
  PROCESS_INFORMATION child = {};
  // Suspended until it is in the job, so that its children are in the job, too. In its own process
  // group, so that Ctrl-C reaches only us, and we end it.
  if (!::CreateProcessW(program.c_str(), line->data(), nullptr, nullptr, TRUE,
                        CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP |
                            CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT,
                        variables.data(), nullptr, startup.get(), &child)) {
    result.message = lastError();
    return result;
  }
  Handle process(child.hProcess), thread(child.hThread);
  ::AssignProcessToJobObject(job.get(), process.get());
  ::ResumeThread(thread.get());
  output.writeEnd.close();
  errors.writeEnd.close();

  Tail kept(request.outputLimit), keptErrors(request.outputLimit);
  const auto deadline = steady_clock::now() + request.limit;
  result.end = ProcessResult::End::Exited;
  while (::WaitForSingleObject(process.get(), kPauseMs) == WAIT_TIMEOUT) {
    output.readInto(kept);
    errors.readInto(keptErrors);
    if (system::isInterrupted())
      result.end = ProcessResult::End::Interrupted;
    else if (steady_clock::now() >= deadline)
      result.end = ProcessResult::End::TimedOut;
    if (result.end != ProcessResult::End::Exited)
      break;
  }
  ::TerminateJobObject(job.get(), 1); // including what it left running
  ::WaitForSingleObject(process.get(), INFINITE);
  output.readInto(kept);
  errors.readInto(keptErrors);
  result.output = kept.take();
  result.errors = keptErrors.take();
  DWORD code = 0;
  ::GetExitCodeProcess(process.get(), &code);
  result.code = static_cast<int>(code);
  // The exit code of a process that an exception ended has the severity bits of an error.
  if (result.end == ProcessResult::End::Exited && (code & 0xC0000000) == 0xC0000000)
    result.end = ProcessResult::End::Crashed;
  return result;
}

} // namespace tcfix::io
