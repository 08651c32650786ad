/// The app's own backend, which alone redeems codes and sees verification tokens.
///
/// ``JSONVerificationBackend`` speaks the documented contract; write another one for a backend that is called in
/// another way.
public protocol VerificationBackend: Sendable {
    /// Passes a callback's code to the backend, and returns the backend's result.
    ///
    /// - Throws: The reason the user is not verified.
    func verify(_ request: VerificationExchangeRequest) async throws(VerificationError) -> VerificationResult
}
