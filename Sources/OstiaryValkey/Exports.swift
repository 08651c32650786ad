#if Valkey
    // A backend with Valkey imports OstiaryValkey alone.
    @_exported public import OstiaryServer
#endif
