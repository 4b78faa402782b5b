#include "resolve/windows_names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::resolve {

namespace {

// Prefixes of families of DLLs, such as d3dcompiler_47.dll and msvcp140_atomic_wait.dll.
constexpr llvm::StringLiteral kFamilies[] = {
    "concrt1", "d2d1",   "d3d",   "dxgi",      "dwrite", "mf",
    "msvcp",   "nvcuda", "vcomp", "vcruntime", "xinput",
};

constexpr llvm::StringLiteral kKnownDlls[] = {
    "advapi32", "clbcatq",  "combase", "comdlg32", "coml2",  "difxapi", "gdi32",
    "gdiplus",  "imagehlp", "imm32",   "kernel32", "msctf",  "msvcrt",  "normaliz",
    "nsi",      "ntdll",    "ole32",   "oleaut32", "psapi",  "rpcrt4",  "sechost",
    "setupapi", "shcore",   "shell32", "shlwapi",  "user32", "wldap32", "ws2_32",
};

constexpr llvm::StringLiteral kLibraries[] = {
    "activeds",      "authz",         "avicap32",  "avrt",       "bcrypt",   "bcryptprimitives",
    "bluetoothapis", "cabinet",       "certcli",   "cfgmgr32",   "cldapi",   "clusapi",
    "comctl32",      "credui",        "crypt32",   "cryptbase",  "cryptdll", "cryptnet",
    "cryptsp",       "cryptui",       "dbgeng",    "dbghelp",    "dcomp",    "ddraw",
    "dhcpcsvc",      "dhcpcsvc6",     "dinput",    "dinput8",    "dnsapi",   "dpapi",
    "dsound",        "dwmapi",        "dxva2",     "esent",      "evr",      "fltlib",
    "fwpuclnt",      "gdi32full",     "glu32",     "hid",        "httpapi",  "icu",
    "icuin",         "icuuc",         "iphlpapi",  "kernelbase", "ksuser",   "ktmw32",
    "mlang",         "mmdevapi",      "mpr",       "mprapi",     "msacm32",  "msasn1",
    "mscms",         "mscoree",       "msdmo",     "mshtml",     "msi",      "msimg32",
    "msvcirt",       "msvfw32",       "mswsock",   "ncrypt",     "ndfapi",   "netapi32",
    "newdev",        "ntdsapi",       "nvml",      "odbc32",     "oleacc",   "opencl",
    "opengl32",      "pathcch",       "pdh",       "powrprof",   "profapi",  "propsys",
    "quartz",        "qwave",         "rasapi32",  "resutils",   "riched20", "rstrtmgr",
    "rtutils",       "samcli",        "secur32",   "sensapi",    "shfolder", "slc",
    "srclient",      "srvcli",        "sspicli",   "sxs",        "t2embed",  "taskschd",
    "tbs",           "tdh",           "traffic",   "ucrtbase",   "urlmon",   "userenv",
    "usp10",         "uxtheme",       "version",   "vfw32",      "virtdisk", "vulkan-1",
    "webauthn",      "webservices",   "websocket", "wecapi",     "wer",      "wevtapi",
    "win32u",        "windowscodecs", "winhttp",   "wininet",    "winmm",    "winscard",
    "winspool",      "winsta",        "wintrust",  "winusb",     "wkscli",   "wlanapi",
    "wldp",          "wmvcore",       "wscapi",    "wsdapi",     "wsock32",  "wtsapi32",
    "xolehlp",
};

} // namespace

bool isApiSet(llvm::StringRef name) {
  return name.starts_with_insensitive("api-ms-") || name.starts_with_insensitive("ext-ms-");
}

bool isKnownDll(llvm::StringRef name) {
  std::string lower = name.lower();
  llvm::StringRef stem = lower;
  return stem.consume_back(".dll") && llvm::is_contained(kKnownDlls, stem);
}

bool isWindowsLibrary(llvm::StringRef name) {
  std::string lower = name.lower();
  llvm::StringRef stem = lower;
  if (!stem.consume_back(".dll"))
    return stem == "winspool.drv";
  return isKnownDll(name) || llvm::is_contained(kLibraries, stem) ||
         llvm::any_of(kFamilies, [&](llvm::StringRef family) { return stem.starts_with(family); });
}

bool isInterpreter(llvm::StringRef name) {
  std::string stem = name.lower();
  llvm::StringRef digits = stem;
  if (!digits.consume_front("python") || !digits.consume_back(".dll"))
    return false;
  // Free-threaded and debug builds: python313t.dll, python312_d.dll.
  digits.consume_back("_d");
  digits.consume_back("t");
  return !digits.empty() && llvm::all_of(digits, llvm::isDigit);
}

} // namespace tcfix::resolve
