// Threads and thread-local variables. Darwin's objects begin with a signature of eight bytes; what follows it is
// zero in a static initializer and is as large as glibc's object, or holds a pointer to one.
#define _GNU_SOURCE
#include "macho_run.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Thread-local variables: the code of the program loads a descriptor and calls its first word.
struct Descriptor {
  void (*function)(void);
  uint64_t key, offset;
};

static const void* initialContent;
static size_t initialContentSize, wholeContentSize;
static pthread_key_t contentKey;

void* variableOf(const struct Descriptor* descriptor); // called by name, from assembly

void* variableOf(const struct Descriptor* descriptor) {
  uint8_t* content = pthread_getspecific(contentKey);
  if (!content) {
    content = calloc(1, wholeContentSize);
    memcpy(content, initialContent, initialContentSize);
    pthread_setspecific(contentKey, content);
  }
  return content + descriptor->offset;
}

/// Takes the descriptor in rdi, returns the address in rax, and changes no other register.
__attribute__((naked)) static void findVariable(void) {
  __asm__("pushq %rbp\n movq %rsp, %rbp\n"
          "pushq %rdi\n pushq %rsi\n pushq %rdx\n pushq %rcx\n"
          "pushq %r8\n pushq %r9\n pushq %r10\n pushq %r11\n"
          "subq $512, %rsp\n andq $-64, %rsp\n fxsave64 (%rsp)\n"
          "call variableOf\n"
          "fxrstor64 (%rsp)\n leaq -64(%rbp), %rsp\n"
          "popq %r11\n popq %r10\n popq %r9\n popq %r8\n"
          "popq %rcx\n popq %rdx\n popq %rsi\n popq %rdi\n popq %rbp\n ret");
}

void prepareThreadVariables(void* descriptors, size_t size, const void* initial, size_t initialSize,
                            size_t wholeSize) {
  initialContent = initial;
  initialContentSize = initialSize;
  wholeContentSize = wholeSize;
  pthread_key_create(&contentKey, free);
  struct Descriptor* each = descriptors;
  for (size_t i = 0; i < size / sizeof *each; ++i)
    each[i].function = findVariable;
}

static void* inside(void* object) {
  return (uint8_t*)object + 8;
}

static int mutexInit(void* mutex, const void* attributes) {
  (void)attributes;
  memset(mutex, 0, 64);
  return pthread_mutex_init(inside(mutex), NULL);
}
static int mutexDestroy(void* mutex) { return pthread_mutex_destroy(inside(mutex)); }
static int mutexLock(void* mutex) { return pthread_mutex_lock(inside(mutex)); }
static int mutexTryLock(void* mutex) { return pthread_mutex_trylock(inside(mutex)); }
static int mutexUnlock(void* mutex) { return pthread_mutex_unlock(inside(mutex)); }

/// glibc's object is larger than the 40 bytes of Darwin's, which therefore contains a pointer to it.
static pthread_cond_t* conditionOf(void* object) {
  pthread_cond_t** place = inside(object);
  pthread_cond_t* made = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (made)
    return made;
  pthread_cond_t* fresh = malloc(sizeof *fresh);
  pthread_cond_init(fresh, NULL);
  if (__atomic_compare_exchange_n(place, &made, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return fresh;
  free(fresh);
  return made;
}
static int conditionInit(void* object, const void* attributes) {
  (void)attributes;
  memset(object, 0, 48);
  return 0;
}
static int conditionDestroy(void* object) {
  pthread_cond_t** place = inside(object);
  free(*place);
  *place = NULL;
  return 0;
}
static int conditionWait(void* object, void* mutex) { return pthread_cond_wait(conditionOf(object), inside(mutex)); }
static int conditionSignal(void* object) { return pthread_cond_signal(conditionOf(object)); }
static int conditionBroadcast(void* object) { return pthread_cond_broadcast(conditionOf(object)); }
static int conditionTimedWait(void* object, void* mutex, const struct timespec* until) {
  int error = pthread_cond_timedwait(conditionOf(object), inside(mutex), until);
  return error == 110 /* ETIMEDOUT */ ? 60 : error;
}

static int runOnce(void* object, void (*function)(void)) { return pthread_once(inside(object), function); }

static int keyCreate(unsigned long* key, void (*destroy)(void*)) {
  pthread_key_t made;
  int error = pthread_key_create(&made, destroy);
  *key = made;
  return error;
}
static int attributesInit(void* object) { return pthread_attr_init(inside(object)); }
static int attributesDestroy(void* object) { return pthread_attr_destroy(inside(object)); }
static int attributesStackSize(void* object, size_t size) { return pthread_attr_setstacksize(inside(object), size); }
static int create(pthread_t* thread, void* attributes, void* (*function)(void*), void* argument) {
  return pthread_create(thread, attributes ? inside(attributes) : NULL, function, argument);
}
/// On Darwin this function applies to the calling thread.
static int setName(const char* name) {
  (void)name;
  return 0;
}

static uint32_t threadNumber(pthread_t thread) {
  (void)thread; // always the calling thread
  return (uint32_t)gettid();
}
static int threadIdentity(pthread_t thread, uint64_t* identity) {
  *identity = threadNumber(thread);
  return 0;
}

/// Used to wait for an atomic variable. Operation 1 compares 32 bits, operation 3 compares 64.
static int ulockWait(uint32_t operation, void* address, uint64_t value, uint32_t microseconds) {
  (void)operation;
  struct timespec time = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
  return (int)syscall(SYS_futex, address, FUTEX_WAIT_PRIVATE, (uint32_t)value, microseconds ? &time : NULL, NULL, 0);
}
static int ulockWake(uint32_t operation, void* address, uint64_t value) {
  (void)value;
  const uint32_t all = 0x100;
  return (int)syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, operation & all ? 0x7fffffff : 1, NULL, NULL, 0);
}

/// Destructors of thread-local variables: a thread of this program ends with the program.
static void atThreadExit(void (*function)(void*), void* object) {
  (void)function, (void)object;
}

const struct Shim kThreadShims[] = {
    {"_pthread_mutex_init", mutexInit},
    {"_pthread_mutex_destroy", mutexDestroy},
    {"_pthread_mutex_lock", mutexLock},
    {"_pthread_mutex_trylock", mutexTryLock},
    {"_pthread_mutex_unlock", mutexUnlock},
    {"_pthread_cond_init", conditionInit},
    {"_pthread_cond_destroy", conditionDestroy},
    {"_pthread_cond_wait", conditionWait},
    {"_pthread_cond_timedwait", conditionTimedWait},
    {"_pthread_cond_signal", conditionSignal},
    {"_pthread_cond_broadcast", conditionBroadcast},
    {"_pthread_once", runOnce},
    {"_pthread_key_create", keyCreate},
    {"_pthread_attr_init", attributesInit},
    {"_pthread_attr_destroy", attributesDestroy},
    {"_pthread_attr_setstacksize", attributesStackSize},
    {"_pthread_create", create},
    {"_pthread_setname_np", setName},
    {"_pthread_mach_thread_np", threadNumber},
    {"_pthread_threadid_np", threadIdentity},
    {"___ulock_wait", ulockWait},
    {"___ulock_wake", ulockWake},
    {"__tlv_atexit", atThreadExit},
    {"__tlv_bootstrap", findVariable},
    {0},
};
