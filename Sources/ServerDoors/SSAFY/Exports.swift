// A backend imports this product alone: the contract of the app's half, and the backend kit.
@_exported public import OstiarySSAFY
@_exported public import OstiaryServer
