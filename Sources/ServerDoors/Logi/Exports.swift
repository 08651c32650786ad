// A backend imports this product alone: the contract of the app's half, and the backend kit.
@_exported public import OstiaryLogi
@_exported public import OstiaryServer
