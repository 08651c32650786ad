#if Hummingbird
    // A Hummingbird backend imports OstiaryHummingbird alone.
    @_exported public import OstiaryObservability
    @_exported public import OstiaryServer
#endif
