// A backend imports OstiaryServer alone: the types that its API consists of come with it.
@_exported public import OstiaryJOSE
@_exported public import OstiaryOAuth
