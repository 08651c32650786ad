// A backend imports OstiaryServer alone: what its own API is made of comes with it.
@_exported public import OstiaryJOSE
@_exported public import OstiaryOAuth
