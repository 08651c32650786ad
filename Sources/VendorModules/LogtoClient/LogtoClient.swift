// The module of Logto's SDK with its names alone, and the two types that its values have here: `Secret` for tokens, and
// `SignInError` for an error's cause.
@_exported public import class OstiaryLogto.LogtoClient
@_exported public import enum OstiaryLogto.LogtoClientErrorTypes
@_exported public import enum OstiaryLogto.LogtoClientErrors
@_exported public import struct OstiaryLogto.LogtoConfig
@_exported public import struct OstiaryLogto.LogtoError
@_exported public import struct OstiaryOAuth.Secret
@_exported public import struct OstiaryOAuth.SignInError
