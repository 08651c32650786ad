// The desktop's keyring through libsecret, which is loaded when it is used and not needed to build.
#ifndef OSTIARY_SECRET_SERVICE_H
#define OSTIARY_SECRET_SERVICE_H

#include <stddef.h>
#include <stdint.h>

// How a call ended.
typedef enum {
    OSTIARY_SECRET_DONE = 0,
    // There is no such value.
    OSTIARY_SECRET_ABSENT = 1,
    // The keyring is locked, and nobody unlocked it.
    OSTIARY_SECRET_LOCKED = 2,
    // The bus of the session cannot be reached.
    OSTIARY_SECRET_NO_BUS = 3,
    // Nobody on the bus keeps secrets.
    OSTIARY_SECRET_NO_SERVICE = 4,
    // The call was cancelled.
    OSTIARY_SECRET_CANCELLED = 5,
    // Anything else.
    OSTIARY_SECRET_FAILED = 6
} ostiary_secret_status;

typedef struct ostiary_secret_library ostiary_secret_library;

// Loads the library; NULL when it, or a function of it, is missing, and then *missing names it. It is never unloaded.
ostiary_secret_library *ostiary_secret_open(const char *name, const char **missing);

// Something that another thread can cancel a call with.
void *ostiary_secret_cancellable(ostiary_secret_library *library);
void ostiary_secret_cancel(ostiary_secret_library *library, void *cancellable);
void ostiary_secret_release(ostiary_secret_library *library, void *cancellable);

// Reaches the service, and reads nothing.
ostiary_secret_status ostiary_secret_probe(ostiary_secret_library *library, void *cancellable);

// Forgets the service that the calls before it used: the next one connects anew.
void ostiary_secret_disconnect(ostiary_secret_library *library);

// Reads a value. *bytes is the caller's to free with ostiary_secret_free, after *count bytes were wiped there.
ostiary_secret_status ostiary_secret_read(ostiary_secret_library *library, const char *application, const char *key,
                                          int may_ask, void *cancellable, uint8_t **bytes, size_t *count);

// Sets a value, in place of the one before.
ostiary_secret_status ostiary_secret_write(ostiary_secret_library *library, const char *application, const char *key,
                                           const char *label, int may_ask, void *cancellable, const uint8_t *bytes,
                                           size_t count);

// Removes a value; one that is not there is no failure.
ostiary_secret_status ostiary_secret_remove(ostiary_secret_library *library, const char *application, const char *key,
                                            int may_ask, void *cancellable);

// The names of an application's values, each ended by a zero byte, one after the other.
ostiary_secret_status ostiary_secret_list(ostiary_secret_library *library, const char *application, int may_ask,
                                          void *cancellable, uint8_t **names, size_t *count);

// Wipes and frees what was read.
void ostiary_secret_free(uint8_t *bytes, size_t count);

#endif
