/// The app's own backend, which alone redeems codes and sees verification tokens.
///
/// ``JSONVerificationBackend`` speaks the documented contract; write another one for a backend that is called in another
/// way.
public protocol VerificationBackend: Sendable {
    /// Hands a callback's code over, and returns what the backend makes of it.
    ///
    /// - Throws: Why the person is not verified.
    func verify(_ request: VerificationExchangeRequest) async throws(VerificationError) -> VerificationResult
}
