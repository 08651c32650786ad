// Tells the thread sanitizer of the slow paths of Swift's Mutex on Linux.
//
// The fast paths are compiled into the caller and seen by the sanitizer; the slow paths, taken when two threads want the
// mutex at once, lie in libswiftSynchronization, which is not instrumented. Without this the sanitizer takes what a
// contended mutex protects for a race. preloaded by scripts/sanitized-tests.sh; never part of what ships.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

#define SELF __attribute__((swift_context)) void *self
typedef __attribute__((swiftcall)) void (*lock_function)(uint32_t thread, SELF);
typedef __attribute__((swiftcall)) void (*unlock_function)(SELF);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

__attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
__attribute__((swiftcall)) void unlock_slow(SELF) __asm__(UNLOCK);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF) {
    static lock_function original;
    if (!original) original = (lock_function)dlsym(RTLD_NEXT, LOCK);
    original(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

__attribute__((swiftcall)) void unlock_slow(SELF) {
    static unlock_function original;
    if (!original) original = (unlock_function)dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(self);
    original(self);
}
