#include "CSecretService.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// What is used of GLib's and libsecret's declarations (libsecret 0.18 and later): their headers are not needed to build.
typedef struct {
    uint32_t domain;
    int code;
    char *message;
} GError;
typedef struct GList {
    void *data;
    struct GList *next;
    struct GList *previous;
} GList;
typedef struct {
    const char *name;
    int flags;
    struct {
        const char *name;
        int type;
    } attributes[32];
    int reserved;
    void *reserved1, *reserved2, *reserved3, *reserved4, *reserved5, *reserved6, *reserved7;
} SecretSchema;

enum { SECRET_SEARCH_ALL = 1 << 1, SECRET_SEARCH_UNLOCK = 1 << 2, SECRET_SEARCH_LOAD_SECRETS = 1 << 3 };
enum { SECRET_SERVICE_OPEN_SESSION = 1 << 1, SECRET_ERROR_IS_LOCKED = 2 };
enum { G_BUS_TYPE_SESSION = 2, G_IO_ERROR_CANCELLED = 19 };
// GDBusError: the service is not there, cannot be started, or does not answer.
enum { BUS_SERVICE_UNKNOWN = 2, BUS_NAME_HAS_NO_OWNER = 3, BUS_NO_REPLY = 4, BUS_UNKNOWN_INTERFACE = 42 };
enum { BUS_NO_SERVER = 11, BUS_TIMEOUT = 12, BUS_DISCONNECTED = 15, BUS_SPAWN_FIRST = 23, BUS_SPAWN_LAST = 34 };

static const SecretSchema schema = {
    .name = "io.github.ostiary.Value",
    .flags = 0,
    .attributes = {{"application", 0}, {"key", 0}, {NULL, 0}},
};

struct ostiary_secret_library {
    GList *(*search)(void *, const SecretSchema *, void *, int, void *, GError **);
    int (*store)(void *, const SecretSchema *, void *, const char *, const char *, void *, void *, GError **);
    int (*clear)(void *, const SecretSchema *, void *, void *, GError **);
    void *(*get_service)(int, void *, GError **);
    void (*disconnect)(void);
    void *(*collection_for_alias)(void *, const char *, int, void *, GError **);
    int (*collection_locked)(void *);
    int (*unlock)(void *, GList *, void *, GList **, GError **);
    int (*item_locked)(void *);
    void *(*item_secret)(void *);
    void *(*item_attributes)(void *);
    uint64_t (*item_modified)(void *);
    void *(*value_new)(const char *, ptrdiff_t, const char *);
    const char *(*value_get)(void *, size_t *);
    void (*value_unref)(void *);
    uint32_t (*error_quark)(void);
    void *(*table_new)(void *, void *);
    int (*table_insert)(void *, void *, void *);
    void *(*table_lookup)(void *, const void *);
    void (*table_unref)(void *);
    void *string_hash, *string_equal;
    void (*list_free)(GList *);
    void (*object_unref)(void *);
    void (*error_free)(GError *);
    uint32_t (*bus_quark)(void);
    uint32_t (*io_quark)(void);
    void *(*bus_get)(int, void *, GError **);
    void (*bus_set_exit_on_close)(void *, int);
    void *(*cancellable_new)(void);
    void (*cancellable_cancel)(void *);
};

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
#define SYMBOL(name, member) {#name, offsetof(struct ostiary_secret_library, member)}
    SYMBOL(secret_service_search_sync, search),
    SYMBOL(secret_service_store_sync, store),
    SYMBOL(secret_service_clear_sync, clear),
    SYMBOL(secret_service_get_sync, get_service),
    SYMBOL(secret_service_disconnect, disconnect),
    SYMBOL(secret_collection_for_alias_sync, collection_for_alias),
    SYMBOL(secret_collection_get_locked, collection_locked),
    SYMBOL(secret_service_unlock_sync, unlock),
    SYMBOL(secret_item_get_locked, item_locked),
    SYMBOL(secret_item_get_secret, item_secret),
    SYMBOL(secret_item_get_attributes, item_attributes),
    SYMBOL(secret_item_get_modified, item_modified),
    SYMBOL(secret_value_new, value_new),
    SYMBOL(secret_value_get, value_get),
    SYMBOL(secret_value_unref, value_unref),
    SYMBOL(secret_error_get_quark, error_quark),
    SYMBOL(g_hash_table_new, table_new),
    SYMBOL(g_hash_table_insert, table_insert),
    SYMBOL(g_hash_table_lookup, table_lookup),
    SYMBOL(g_hash_table_unref, table_unref),
    SYMBOL(g_str_hash, string_hash),
    SYMBOL(g_str_equal, string_equal),
    SYMBOL(g_list_free, list_free),
    SYMBOL(g_object_unref, object_unref),
    SYMBOL(g_error_free, error_free),
    SYMBOL(g_dbus_error_quark, bus_quark),
    SYMBOL(g_io_error_quark, io_quark),
    SYMBOL(g_bus_get_sync, bus_get),
    SYMBOL(g_dbus_connection_set_exit_on_close, bus_set_exit_on_close),
    SYMBOL(g_cancellable_new, cancellable_new),
    SYMBOL(g_cancellable_cancel, cancellable_cancel),
#undef SYMBOL
};

ostiary_secret_library *ostiary_secret_open(const char *name, const char **missing) {
    // Never unloaded: GLib cannot be.
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    *missing = name;
    if (!handle) return NULL;
    ostiary_secret_library *library = calloc(1, sizeof *library);
    if (!library) return NULL;
    for (size_t index = 0; index < sizeof symbols / sizeof symbols[0]; index++) {
        // Searches what the library itself needs, too: GLib and GIO.
        void *symbol = dlsym(handle, symbols[index].name);
        if (!symbol) {
            *missing = symbols[index].name;
            free(library);
            return NULL;
        }
        memcpy((char *)library + symbols[index].offset, &symbol, sizeof symbol);
    }
    *missing = NULL;
    return library;
}

void *ostiary_secret_cancellable(ostiary_secret_library *library) { return library->cancellable_new(); }
void ostiary_secret_cancel(ostiary_secret_library *library, void *cancellable) {
    library->cancellable_cancel(cancellable);
}
void ostiary_secret_release(ostiary_secret_library *library, void *cancellable) { library->object_unref(cancellable); }

void ostiary_secret_free(uint8_t *bytes, size_t count) {
    if (!bytes) return;
    volatile uint8_t *wiped = bytes;
    for (size_t index = 0; index < count; index++) wiped[index] = 0;
    free(bytes);
}

// What an error means; it is freed.
static ostiary_secret_status status_of(ostiary_secret_library *library, GError *error) {
    if (!error) return OSTIARY_SECRET_FAILED;
    ostiary_secret_status status = OSTIARY_SECRET_FAILED;
    if (error->domain == library->error_quark() && error->code == SECRET_ERROR_IS_LOCKED) {
        status = OSTIARY_SECRET_LOCKED;
    } else if (error->domain == library->io_quark() && error->code == G_IO_ERROR_CANCELLED) {
        status = OSTIARY_SECRET_CANCELLED;
    } else if (error->domain == library->bus_quark()) {
        int code = error->code;
        if (code == BUS_SERVICE_UNKNOWN || code == BUS_NAME_HAS_NO_OWNER || code == BUS_NO_REPLY ||
            code == BUS_UNKNOWN_INTERFACE || code == BUS_TIMEOUT || (code >= BUS_SPAWN_FIRST && code <= BUS_SPAWN_LAST)) {
            status = OSTIARY_SECRET_NO_SERVICE;
        } else if (code == BUS_NO_SERVER || code == BUS_DISCONNECTED) {
            status = OSTIARY_SECRET_NO_BUS;
        }
    }
    library->error_free(error);
    return status;
}

// The bus of the session and the service on it.
typedef struct {
    ostiary_secret_library *library;
    void *bus, *service, *cancellable;
} connection;

// Opens the bus, and keeps the process from ending with it, which is GIO's default; then reaches the service.
static ostiary_secret_status reach(ostiary_secret_library *library, void *cancellable, connection *to) {
    GError *error = NULL;
    *to = (connection){.library = library, .cancellable = cancellable};
    to->bus = library->bus_get(G_BUS_TYPE_SESSION, cancellable, &error);
    if (!to->bus) {
        ostiary_secret_status status = status_of(library, error);
        return status == OSTIARY_SECRET_CANCELLED ? status : OSTIARY_SECRET_NO_BUS;
    }
    library->bus_set_exit_on_close(to->bus, 0);
    // With a session for secrets, which a mere name on the bus cannot open.
    to->service = library->get_service(SECRET_SERVICE_OPEN_SESSION, cancellable, &error);
    if (to->service) return OSTIARY_SECRET_DONE;
    library->object_unref(to->bus);
    return status_of(library, error);
}

static void leave(connection *from) {
    from->library->object_unref(from->service);
    from->library->object_unref(from->bus);
}

ostiary_secret_status ostiary_secret_probe(ostiary_secret_library *library, void *cancellable) {
    connection to;
    ostiary_secret_status status = reach(library, cancellable, &to);
    if (status == OSTIARY_SECRET_DONE) leave(&to);
    return status;
}

void ostiary_secret_disconnect(ostiary_secret_library *library) { library->disconnect(); }

static void *attributes(ostiary_secret_library *library, const char *application, const char *key) {
    void *table = library->table_new(library->string_hash, library->string_equal);
    library->table_insert(table, "application", (void *)application);
    if (key) library->table_insert(table, "key", (void *)key);
    return table;
}

static void release_items(ostiary_secret_library *library, GList *items) {
    for (GList *item = items; item; item = item->next) library->object_unref(item->data);
    library->list_free(items);
}

static int is_any_locked(ostiary_secret_library *library, GList *items) {
    for (GList *item = items; item; item = item->next)
        if (library->item_locked(item->data)) return 1;
    return 0;
}

// Whether the keyring that values go to is unlocked, after asking the person for it where that is allowed.
//
// A keyring that is locked may not even say what is in it, so nothing found there does not mean that nothing is there.
static ostiary_secret_status unlock_keyring(connection *to, int may_ask, int *exists) {
    ostiary_secret_library *library = to->library;
    GError *error = NULL;
    void *collection = library->collection_for_alias(to->service, "default", 0, to->cancellable, &error);
    *exists = collection != NULL;
    if (error) return status_of(library, error);
    if (!collection) return OSTIARY_SECRET_DONE;
    ostiary_secret_status status = OSTIARY_SECRET_DONE;
    if (library->collection_locked(collection)) {
        status = OSTIARY_SECRET_LOCKED;
        if (may_ask) {
            GList only = {.data = collection, .next = NULL, .previous = NULL};
            if (library->unlock(to->service, &only, to->cancellable, NULL, &error) > 0) {
                status = OSTIARY_SECRET_DONE;
            } else if (error) {
                status = status_of(library, error);
                if (status == OSTIARY_SECRET_FAILED) status = OSTIARY_SECRET_LOCKED;
            }
        }
    }
    library->object_unref(collection);
    return status;
}

// Finds items that are not locked; a locked one is never taken for an absent one.
static ostiary_secret_status find(connection *to, const char *application, const char *key, int loads, int may_ask,
                                  GList **items) {
    ostiary_secret_library *library = to->library;
    int flags = SECRET_SEARCH_ALL | (loads ? SECRET_SEARCH_LOAD_SECRETS : 0);
    *items = NULL;
    for (int attempt = 0; attempt < 2; attempt++) {
        GError *error = NULL;
        void *table = attributes(library, application, key);
        GList *found = library->search(to->service, &schema, table, flags, to->cancellable, &error);
        library->table_unref(table);
        if (error) {
            release_items(library, found);
            return status_of(library, error);
        }
        if (found && !is_any_locked(library, found)) {
            *items = found;
            return OSTIARY_SECRET_DONE;
        }
        int is_absent = found == NULL;
        release_items(library, found);
        int exists = 0;
        ostiary_secret_status status = unlock_keyring(to, may_ask && attempt == 0, &exists);
        if (status != OSTIARY_SECRET_DONE) return status;
        // It was unlocked all the time, or is so since the last look.
        if (is_absent && (attempt == 1 || !may_ask || !exists)) return OSTIARY_SECRET_DONE;
        // A locked item in another keyring than the usual one.
        flags |= may_ask ? SECRET_SEARCH_UNLOCK : 0;
    }
    return OSTIARY_SECRET_LOCKED;
}

ostiary_secret_status ostiary_secret_read(ostiary_secret_library *library, const char *application, const char *key,
                                          int may_ask, void *cancellable, uint8_t **bytes, size_t *count) {
    *bytes = NULL;
    *count = 0;
    connection to;
    ostiary_secret_status status = reach(library, cancellable, &to);
    if (status != OSTIARY_SECRET_DONE) return status;
    GList *items = NULL;
    status = find(&to, application, key, 1, may_ask, &items);
    if (status == OSTIARY_SECRET_DONE && !items) status = OSTIARY_SECRET_ABSENT;
    if (items) {
        // Should two processes have made one each, the later one counts.
        void *newest = items->data;
        for (GList *item = items->next; item; item = item->next)
            if (library->item_modified(item->data) > library->item_modified(newest)) newest = item->data;
        void *value = library->item_secret(newest);
        if (value) {
            size_t length = 0;
            const char *content = library->value_get(value, &length);
            *bytes = malloc(length ? length : 1);
            if (*bytes) {
                if (length) memcpy(*bytes, content, length);
                *count = length;
            } else {
                status = OSTIARY_SECRET_FAILED;
            }
            library->value_unref(value);
        } else {
            status = OSTIARY_SECRET_FAILED;
        }
        release_items(library, items);
    }
    leave(&to);
    return status;
}

ostiary_secret_status ostiary_secret_write(ostiary_secret_library *library, const char *application, const char *key,
                                           const char *label, int may_ask, void *cancellable, const uint8_t *bytes,
                                           size_t count) {
    connection to;
    ostiary_secret_status status = reach(library, cancellable, &to);
    if (status != OSTIARY_SECRET_DONE) return status;
    int exists = 0;
    status = unlock_keyring(&to, may_ask, &exists);
    // To make the first keyring a person has to choose its password.
    if (status == OSTIARY_SECRET_DONE && !exists && !may_ask) status = OSTIARY_SECRET_LOCKED;
    if (status == OSTIARY_SECRET_DONE) {
        GError *error = NULL;
        void *table = attributes(library, application, key);
        void *value = library->value_new((const char *)bytes, (ptrdiff_t)count, "application/octet-stream");
        if (!library->store(to.service, &schema, table, "default", label, value, cancellable, &error)) {
            int has_error = error != NULL;
            status = status_of(library, error);
            // A person who dismisses the question leaves no error behind.
            if (!has_error) status = OSTIARY_SECRET_LOCKED;
        }
        library->value_unref(value);
        library->table_unref(table);
    }
    leave(&to);
    return status;
}

ostiary_secret_status ostiary_secret_remove(ostiary_secret_library *library, const char *application, const char *key,
                                            int may_ask, void *cancellable) {
    connection to;
    ostiary_secret_status status = reach(library, cancellable, &to);
    if (status != OSTIARY_SECRET_DONE) return status;
    GList *items = NULL;
    status = find(&to, application, key, 0, may_ask, &items);
    int is_there = items != NULL;
    release_items(library, items);
    if (status == OSTIARY_SECRET_DONE && is_there) {
        GError *error = NULL;
        void *table = attributes(library, application, key);
        if (!library->clear(to.service, &schema, table, cancellable, &error)) {
            // It says no, too, when somebody else was faster.
            if (error) status = status_of(library, error);
        }
        library->table_unref(table);
    }
    leave(&to);
    return status;
}

ostiary_secret_status ostiary_secret_list(ostiary_secret_library *library, const char *application, int may_ask,
                                          void *cancellable, uint8_t **names, size_t *count) {
    *names = NULL;
    *count = 0;
    connection to;
    ostiary_secret_status status = reach(library, cancellable, &to);
    if (status != OSTIARY_SECRET_DONE) return status;
    GList *items = NULL;
    status = find(&to, application, NULL, 0, may_ask, &items);
    size_t size = 0, used = 0;
    for (GList *item = items; item && status == OSTIARY_SECRET_DONE; item = item->next) {
        void *table = library->item_attributes(item->data);
        const char *key = table ? library->table_lookup(table, "key") : NULL;
        if (key) {
            size_t length = strlen(key) + 1;
            if (used + length > size) {
                size = (used + length) * 2;
                uint8_t *larger = realloc(*names, size);
                if (larger) {
                    *names = larger;
                } else {
                    status = OSTIARY_SECRET_FAILED;
                }
            }
            if (status == OSTIARY_SECRET_DONE) {
                memcpy(*names + used, key, length);
                used += length;
            }
        }
        if (table) library->table_unref(table);
    }
    if (status != OSTIARY_SECRET_DONE) {
        free(*names);
        *names = NULL;
    } else {
        *count = used;
    }
    release_items(library, items);
    leave(&to);
    return status;
}

#endif
