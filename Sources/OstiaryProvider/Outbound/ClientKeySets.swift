import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The key sets at the clients' `jwks_uri`, fetched when they are needed (RFC 7591 section 2).
///
/// A key set is used for five minutes, and read again for a key that it lacks. There are ten seconds between two
/// fetches.
actor ClientKeySets {
    /// The reason that a client has no keys.
    enum Failure: Error {
        case outbound(OutboundFailure)
        case status(Int)
        case document
    }

    private struct Entry {
        var keys: JSONWebKeySet?
        var failure: Failure?
        /// The time of the key set, or of the failure without one.
        var fetched: Date
        /// The time of the last fetch, which may have failed.
        var attempted: Date
    }

    private static let lifetime: Double = 300
    private static let grace: Double = 3600
    private static let pause: Double = 10
    private static let maximumEntries = 200
    static let limits = EndpointRequest.Limits(maximumBodyBytes: 65_536, deadline: .seconds(5))

    private var entries: [ClientURI: Entry] = [:]
    private var fetches: [ClientURI: Task<Result<JSONWebKeySet, Failure>, Never>] = [:]

    /// Returns the key set at a URI.
    ///
    /// `keyID` is the key that a token names; `nil` for none.
    ///
    /// - Throws: ``Failure`` when there is no key set, or none from the last hour.
    func keys(
        at uri: ClientURI,
        naming keyID: String?,
        now: Date,
        by transport: any OutboundTransport
    ) async throws(Failure) -> JSONWebKeySet {
        if let entry = entries[uri] {
            let age = now.timeIntervalSince(entry.fetched)
            let isPause = now.timeIntervalSince(entry.attempted) < Self.pause
            let hasKey = keyID.map { id in entry.keys?.keys.contains { $0.keyID == id } ?? false } ?? true
            if let keys = entry.keys, hasKey && age < Self.lifetime || isPause && age < Self.grace { return keys }
            if entry.keys == nil, isPause, let failure = entry.failure { throw failure }
        }
        let fetch = fetches[uri] ?? Task { await Self.fetch(uri, transport) }
        fetches[uri] = fetch
        let result = await fetch.value
        if fetches[uri] == fetch { fetches[uri] = nil }
        switch result {
        case .success(let keys):
            keep(Entry(keys: keys, fetched: now, attempted: now), uri)
            return keys
        case .failure(let failure):
            // A host that is away for a moment takes no client's keys away.
            if let entry = entries[uri], let keys = entry.keys, now.timeIntervalSince(entry.fetched) < Self.grace {
                keep(Entry(keys: keys, fetched: entry.fetched, attempted: now), uri)
                return keys
            }
            keep(Entry(failure: failure, fetched: now, attempted: now), uri)
            throw failure
        }
    }

    private func keep(_ entry: Entry, _ uri: ClientURI) {
        if entries[uri] == nil, entries.count >= Self.maximumEntries,
            let oldest = entries.min(by: { $0.value.fetched < $1.value.fetched })?.key
        {
            entries[oldest] = nil
        }
        entries[uri] = entry
    }

    private static func fetch(
        _ uri: ClientURI,
        _ transport: any OutboundTransport
    ) async -> Result<JSONWebKeySet, Failure> {
        do throws(OutboundFailure) {
            let request = EndpointRequest(url: uri.resource, limits: limits)
            let response = try await transport.send(request, reach: uri.reach)
            guard response.status == .ok else { return .failure(.status(response.status.code)) }
            guard let keys = try? JSONWebKeySet(parsing: response.body), !keys.keys.isEmpty else {
                return .failure(.document)
            }
            return .success(keys)
        } catch {
            return .failure(.outbound(error))
        }
    }
}

extension ClientKeySets.Failure: CustomStringConvertible {
    /// The reason, in one sentence.
    var description: String {
        switch self {
        case .outbound(let failure): failure.description
        case .status(let code): "The host responded with status \(code)."
        case .document: "The response is not a JSON Web Key Set with a key."
        }
    }
}
