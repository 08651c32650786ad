import OstiaryAsyncHTTPClient
import OstiaryOAuth

/// The transport of every request of the command line; with `--record`, one that records.
let commandTransport: any HTTPTransport = CommandRecording.recording(AsyncHTTPClientTransport())
