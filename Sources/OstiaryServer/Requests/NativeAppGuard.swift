public import HTTPTypes
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Tells an app's requests from those that a page in a browser was made to send.
///
/// An app sends no `Origin`, so a guard that asks for one refuses every app. This one goes the other way: a browser says of
/// itself on every POST where the page is from (Fetch standard, sections 3.1 and 3.2.5), and what says so is refused unless the page
/// is one of the service's own. Who is no browser can say what it likes; against that a proof of a key, or an attestation, can be
/// asked for besides.
public struct NativeAppGuard: Sendable {
    /// What becomes of a request.
    public enum Verdict: Sendable, Hashable {
        /// It may go on; the fields belong into its answer, whatever that is: the nonce of the next proof (RFC 9449 section 8.2).
        case admitted(adding: HTTPFields)
        /// It is refused: it comes from a page, its proof failed a check, or it does not show what else it has to.
        case forbidden
        /// Its proof needs a nonce: answer 401 with these fields, and the app sends it once more (RFC 9449 section 9).
        case nonceRequired(HTTPFields)
        /// Nobody knows, because the store of shown proofs could not be asked: the app should come again.
        case unavailable(StorageFailure)
    }

    private let websites: Set<String>
    private let proofs: ProofChecking?
    private let admits: @Sendable (ServerRequest) async -> Bool
    private let now: @Sendable () -> Date

    /// Makes a guard.
    ///
    /// - Parameters:
    ///   - websites: Origins of pages that may ask too, such as `https://partner.example.com`. Default: none.
    ///   - proofs: How a proof of the installation's key is checked, which each request has to bring then. Default: none is asked
    ///     for.
    ///   - now: The time. Default: the system's clock.
    ///   - admits: What else a request has to show, such as an attestation of the app in a field of its own. Default: nothing.
    public init(
        websites: Set<String> = [],
        proofs: ProofChecking? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        admitting admits: @escaping @Sendable (ServerRequest) async -> Bool = { _ in true }
    ) {
        self.websites = websites
        self.proofs = proofs
        self.now = now
        self.admits = admits
    }

    /// Whether a request may go on.
    ///
    /// Checking a proof costs a signature and a question to the store: count who sends before asking for it.
    public func verdict(on request: ServerRequest) async -> Verdict {
        guard isNoStrangePage(request.fields) else { return .forbidden }
        var fields = HTTPFields()
        if let proofs {
            let now = now()
            do throws(ProofRefusal) {
                let proof = try proofs.proof(of: request, token: nil, at: now)
                if let failure = try await proofs.remember(proof, at: now) { return .unavailable(failure) }
            } catch {
                return error == .nonce ? .nonceRequired(Self.challenge(of: proofs, at: now)) : .forbidden
            }
            fields = proofs.nonceFields(at: now)
        }
        return await admits(request) ? .admitted(adding: fields) : .forbidden
    }

    private static func challenge(of proofs: ProofChecking, at now: Date) -> HTTPFields {
        let challenge = AccessTokenChallenge(
            scheme: .dpop,
            error: ProofRefusal.nonce.code,
            errorDescription: ProofRefusal.nonce.description,
            algorithms: proofs.algorithmList
        )
        var fields = challenge.fields
        for field in proofs.nonceFields(at: now) { fields[field.name] = field.value }
        return fields
    }

    private func isNoStrangePage(_ fields: HTTPFields) -> Bool {
        let origins = fields[values: .origin]
        guard let origin = origins.first else {
            // A browser that leaves out the origin still says that a page sends the request.
            return fields[.secFetchSite].map { $0 == "none" } ?? true
        }
        return origins.count == 1 && websites.contains { $0.utf8.elementsEqual(origin.utf8) }
    }
}

extension HTTPField.Name {
    // The literal is a token, so there is a name for it.
    // swift-format-ignore: NeverForceUnwrap
    /// `Sec-Fetch-Site`: what a browser says of the page that a request comes from.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
