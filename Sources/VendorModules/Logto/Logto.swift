// The module of Logto's SDK with its names alone. The door's own `Logto` stays out: a type of the module's name would
// hide the module, and code that says `Logto.UserScope` would not compile.
@_exported public import struct OstiaryLogto.IdTokenClaims
@_exported public import typealias OstiaryLogto.JsonObject
@_exported public import enum OstiaryLogto.JsonValue
@_exported public import enum OstiaryLogto.JwtField
@_exported public import enum OstiaryLogto.LogtoCore
@_exported public import enum OstiaryLogto.LogtoErrors
@_exported public import enum OstiaryLogto.LogtoRequest
@_exported public import enum OstiaryLogto.LogtoUtilities
@_exported public import protocol OstiaryLogto.NetworkSession
@_exported public import enum OstiaryLogto.ReservedResource
@_exported public import enum OstiaryLogto.UserScope
