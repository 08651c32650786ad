#if Vapor
    // A Vapor backend imports OstiaryVapor alone.
    @_exported public import OstiaryObservability
    @_exported public import OstiaryServer
#endif
