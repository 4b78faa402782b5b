/* Loads DLLs and calls their functions, and prints the results, one line each.
 *
 *   loader.exe [-c] DLL|-f FUNCTION|-t FUNCTION|-m NAME|-v VIDEO|-u ...
 *
 *   DLL   load it as Python does (-c: as LoadLibrary does)   "loaded" or "error N"
 *   -f    call int FUNCTION(void) of the last DLL            "FUNCTION = N" or "exception X"
 *   -t    call it on 32 threads at once, 1000 times each     "FUNCTION = N" if all agree
 *   -m    whether a DLL of that name is in the process       "NAME present" or "NAME absent"
 *   -v    read a file with the FFmpeg in the process         "N packets of video"
 *   -u    unload the last DLL                                "unloaded"
 *   Debug messages (OutputDebugString) are printed as "debug: ..." */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>
#include <psapi.h>

static LONG CALLBACK showDebugText(EXCEPTION_POINTERS* event) {
  EXCEPTION_RECORD* record = event->ExceptionRecord;
  /* Windows raises the wide kind first (DBG_PRINTEXCEPTION_WIDE_C), Wine 8 only the narrow one. */
  static int isWide;
  isWide |= record->ExceptionCode == 0x4001000A;
  if (record->ExceptionCode == 0x4001000A)
    printf("debug: %ls", (wchar_t*)record->ExceptionInformation[1]);
  else if (record->ExceptionCode == 0x40010006 && !isWide)
    printf("debug: %s", (char*)record->ExceptionInformation[1]);
  else if ((record->ExceptionCode & 0xFFFF0000) == 0xC06D0000) {
    printf("exception %lx\n", record->ExceptionCode);
    fflush(stdout);
    ExitProcess(3);
  }
  return EXCEPTION_CONTINUE_SEARCH;
}

typedef int (*Function)(void);

struct Work {
  Function function;
  HANDLE start;
  int result, isStable;
};

static DWORD WINAPI work(void* argument) {
  struct Work* work = argument;
  WaitForSingleObject(work->start, INFINITE);
  work->result = work->function();
  work->isStable = 1;
  for (int i = 1; i < 1000; ++i)
    work->isStable &= work->function() == work->result;
  return 0;
}

static void callOnThreads(Function function, const char* name) {
  enum { kThreads = 32 };
  struct Work works[kThreads];
  HANDLE threads[kThreads], start = CreateEventW(0, TRUE, FALSE, 0);
  for (int i = 0; i < kThreads; ++i) {
    works[i] = (struct Work){function, start, 0, 0};
    threads[i] = CreateThread(0, 0, work, &works[i], 0, 0);
  }
  SetEvent(start);
  WaitForMultipleObjects(kThreads, threads, TRUE, INFINITE);
  for (int i = 0; i < kThreads; ++i)
    if (!works[i].isStable || works[i].result != works[0].result) {
      printf("%s differs between threads\n", name);
      return;
    }
  printf("%s = %d\n", name, works[0].result);
}

/* FFmpeg's own functions; the version is in the DLL's name, and in PyAV's a hash, too. */
static void* findFunction(const wchar_t* library, const char* function) {
  HMODULE modules[1000];
  DWORD size = 0;
  EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &size);
  for (DWORD i = 0; i < size / sizeof *modules; ++i) {
    wchar_t name[MAX_PATH];
    GetModuleBaseNameW(GetCurrentProcess(), modules[i], name, MAX_PATH);
    if (!wcsncmp(name, library, wcslen(library)))
      return (void*)GetProcAddress(modules[i], function);
  }
  printf("%s of %ls is not there\n", function, library);
  fflush(stdout);
  ExitProcess(4);
}

static void readVideo(const wchar_t* path) {
  int (*openInput)(void**, const char*, void*, void*) = findFunction(L"avformat-", "avformat_open_input");
  int (*findStreamInfo)(void*, void*) = findFunction(L"avformat-", "avformat_find_stream_info");
  int (*findBestStream)(void*, int, int, int, void**, int) = findFunction(L"avformat-", "av_find_best_stream");
  int (*readFrame)(void*, void*) = findFunction(L"avformat-", "av_read_frame");
  void* (*allocatePacket)(void) = findFunction(L"avcodec-", "av_packet_alloc");
  void (*releasePacket)(void*) = findFunction(L"avcodec-", "av_packet_unref");
  char name[MAX_PATH];
  snprintf(name, sizeof name, "%ls", path);
  void *input = 0, *decoder = 0, *packet = allocatePacket();
  int packets = 0;
  if (openInput(&input, name, 0, 0) < 0) {
    printf("%s cannot be opened\n", name);
  } else if (findStreamInfo(input, 0) < 0 || findBestStream(input, 0, -1, -1, &decoder, 0) < 0 || !decoder) {
    printf("%s has no video that can be decoded\n", name);
  } else {
    for (; readFrame(input, packet) >= 0; releasePacket(packet))
      ++packets;
    printf("%d packets of video\n", packets);
  }
}

int wmain(int count, wchar_t** arguments) {
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
  AddVectoredExceptionHandler(1, showDebugText);
  DWORD flags = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
  HMODULE module = 0;
  for (int i = 1; i < count; ++i) {
    const wchar_t* argument = arguments[i];
    if (!wcscmp(argument, L"-c")) {
      flags = 0;
    } else if (!wcscmp(argument, L"-m")) {
      printf("%ls %s\n", arguments[i + 1], GetModuleHandleW(arguments[i + 1]) ? "present" : "absent");
      ++i;
    } else if (!wcscmp(argument, L"-v")) {
      readVideo(arguments[++i]);
    } else if (!wcscmp(argument, L"-u")) {
      FreeLibrary(module);
      printf("unloaded\n");
    } else if (!wcscmp(argument, L"-f") || !wcscmp(argument, L"-t")) {
      char name[100];
      snprintf(name, sizeof name, "%ls", arguments[++i]);
      Function function = (Function)(void*)GetProcAddress(module, name);
      if (!function)
        printf("%s is not there\n", name);
      else if (argument[1] == 't')
        callOnThreads(function, name);
      else
        printf("%s = %d\n", name, function());
    } else {
      module = LoadLibraryExW(argument, 0, flags);
      if (module)
        printf("loaded\n");
      else
        printf("error %lu\n", GetLastError());
    }
    fflush(stdout);
  }
  return 0;
}
