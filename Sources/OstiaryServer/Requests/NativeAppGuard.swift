public import HTTPTypes
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Distinguishes an app's requests from those that a page in a browser caused.
///
/// An app sends no `Origin`, so a check that requires one rejects every app. This check works the other way round:
/// browsers name the page on every POST (Fetch standard, sections 3.1 and 3.2.5), and such a request is rejected unless
/// the page is one of the service's own. Other clients can send any field; against those, require a proof of a key or
/// an attestation as well.
public struct NativeAppGuard: Sendable {
    /// The decision on a request.
    public enum Verdict: Sendable, Hashable {
        /// The request is admitted; its response gets these fields in every case: the nonce of the next proof (RFC 9449
        /// section 8.2).
        case admitted(adding: HTTPFields)
        /// The request is rejected: it comes from a page, its proof failed a check, or a further requirement is not
        /// met.
        case forbidden
        /// The proof needs a nonce: respond with 401 and these fields, and the app repeats the request (RFC 9449
        /// section 9).
        case nonceRequired(HTTPFields)
        /// The replay store is unavailable: the app should repeat the request later.
        case unavailable(StorageFailure)
    }

    private let websites: Set<String>
    private let proofs: ProofChecking?
    private let admits: @Sendable (ServerRequest) async -> Bool
    private let now: @Sendable () -> Date

    /// Makes a guard.
    ///
    /// - Parameters:
    ///   - websites: Origins of pages that may send requests as well, such as `https://partner.example.com`. Default:
    ///     none.
    ///   - dpop: The checks of a proof of the installation's key, which every request must then carry. Default: no
    ///     proof is required.
    ///   - clock: The time. Default: the system's.
    ///   - admits: A further requirement, such as an attestation of the app in a field of its own. Default: none.
    public init(
        websites: Set<String> = [],
        dpop: ProofChecking? = nil,
        clock: DeviceClock = .server,
        admitting admits: @escaping @Sendable (ServerRequest) async -> Bool = { _ in true }
    ) {
        self.websites = websites
        proofs = dpop
        now = clock.now
        self.admits = admits
    }

    /// Decides on a request.
    ///
    /// Verifying a proof costs a signature check and a store operation: apply the rate limit first.
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
            // A browser that omits the origin still reports that a page sends the request.
            return fields[.secFetchSite].map { $0 == "none" } ?? true
        }
        return origins.count == 1 && websites.contains { $0.utf8.elementsEqual(origin.utf8) }
    }
}

extension HTTPField.Name {
    // The literal is a token, so there is a name for it.
    // swift-format-ignore: NeverForceUnwrap
    /// `Sec-Fetch-Site`: the relation of a request's page to this server.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
