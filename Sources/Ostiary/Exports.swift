// An app that imports Ostiary also gets the types of its API.
@_exported public import OstiaryJOSE
@_exported public import OstiaryOAuth
