@_exported public import OstiaryOAuth

// An app that names a scope or an issuer writes no second import. Of JOSE it sees the types of claims, and the
// algorithms that a client's policy names; keys and tokens come with `import OstiaryJOSE`.
@_exported public import struct OstiaryJOSE.JSONObject
@_exported public import enum OstiaryJOSE.JSONValue
@_exported public import enum OstiaryJOSE.SignatureAlgorithm
