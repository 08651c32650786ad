import OstiaryAsyncHTTPClient
import OstiaryOAuth

/// What carries every request of the command line.
let commandTransport: any HTTPTransport = AsyncHTTPClientTransport()
