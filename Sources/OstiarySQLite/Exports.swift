#if SQLite
    // A backend with SQLite imports OstiarySQLite alone.
    @_exported public import OstiaryServer
#endif
