#if PostgreSQL
    // A backend with PostgreSQL imports OstiaryPostgreSQL alone.
    @_exported public import OstiaryServer
#endif
