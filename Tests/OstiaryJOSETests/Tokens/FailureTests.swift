import OstiaryJOSE
import Testing

@Suite("Failures of verifiers")
struct FailureTests {
    enum Failure { case form, critical, algorithm, key, signature }

    @Test(
        "An error of a token becomes the verifier's failure of the same step",
        arguments: [
            (JOSEError.malformed("header"), Failure.form), (.tooLarge, .form), (.base64URL, .form),
            (.criticalHeader, .critical), (.unsupportedAlgorithm("none"), .algorithm),
            (.algorithmNotAllowed("RS256"), .algorithm), (.noMatchingKey(keyID: "one"), .key), (.ambiguousKey, .key),
            (.invalidSignature, .signature),
        ]
    )
    func steps(error: JOSEError, failure: Failure) {
        let found = error.failure(
            form: Failure.form,
            critical: .critical,
            algorithm: .algorithm,
            key: .key,
            signature: .signature
        )
        #expect(found == failure)
    }

    @Test("A critical header without a failure of its own becomes a failure of the form")
    func criticalWithoutFailure() {
        let found = JOSEError.criticalHeader.failure(
            form: Failure.form,
            algorithm: .algorithm,
            key: .key,
            signature: .signature
        )
        #expect(found == .form)
    }
}
