import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// The largest snapshot, in bytes: 16 MiB.
    public static let maximumSnapshotBytes = 16_777_216

    /// Returns the state as JSON, for ``restore(_:)``.
    ///
    /// It has users, passkeys, registered clients, logins, grants, codes, tokens, keys, the settings that the
    /// administration has changed and the lead of the clock. The state of a dialect is not part of it.
    ///
    /// It holds the private signing keys, the secrets of authenticator apps and the hashes of passwords: keep it as a
    /// private key is kept. The records are those of one moment. What has expired is left out.
    ///
    /// - Throws: ``ProviderSnapshotError/tooLarge`` and ``ProviderSnapshotError/storage(_:)``.
    public func snapshot() async throws(ProviderSnapshotError) -> [UInt8] {
        let records: [ProviderRecord.Stored]
        do throws(ProviderStorageFailure) { records = try await storage.contents() } catch { throw .storage(error) }
        let now = now
        let snapshot = ProviderSnapshot(
            issuer: configuration.issuer.description,
            lead: settings.clockLead,
            users: users,
            settings: settingsSnapshot(),
            records: records.filter { $0.record.expires.map { $0 > now } ?? true }
        )
        return try snapshot.encoded()
    }

    /// Replaces the state by that of a snapshot of the same issuer, wholly or not at all.
    ///
    /// The clock leads the machine's as it did then: what has expired meanwhile stays expired. Requests under way may
    /// end in either state.
    ///
    /// - Throws: ``ProviderSnapshotError``; nothing has changed then.
    public func restore(_ snapshot: [UInt8]) async throws(ProviderSnapshotError) {
        let snapshot = try ProviderSnapshot(snapshot)
        guard snapshot.issuer.utf8.elementsEqual(configuration.issuer.description.utf8) else {
            throw .issuer(snapshot.issuer.logged)
        }
        let change: (inout RunTimeSettings.Values) -> Void
        do throws(Refusal) { change = try restoredSettings(snapshot.settings) } catch {
            guard case .json(let problem, _, _) = error else { throw .settings("settings of the snapshot are wrong.") }
            throw .settings("settings of the snapshot are wrong. \(problem.description ?? "")")
        }
        let failure: ProviderSnapshotError? = await changes.alone {
            guard let restored = settings.change(isTrial: true, of: .start, change) else {
                return .settings("No signing key may have an algorithm of the rules in the snapshot.")
            }
            do throws(ProviderStorageFailure) {
                // Keys that are missing are made before anything changes.
                let keys = try keyRing.missing(restored.keyed, among: snapshot.records.map(\.record))
                let added = keys.map { ProviderRecord.Stored($0, isUsed: false) }
                try await storage.replaceAll(with: snapshot.records + added)
            } catch {
                return .storage(error)
            }
            await keyRing.reread(for: restored.keyed)
            _ = settings.change(of: .start, change)
            directory.reset(to: snapshot.users)
            settings.setClock(lead: snapshot.lead)
            forgetMoments()
            return nil
        }
        if let failure { throw failure }
    }

    /// Returns the largest body of a request that is read: of a snapshot, where the request has the token.
    ///
    /// - Parameter request: The request without its body.
    /// - Returns: The size in bytes.
    public func maximumBodyBytes(of request: ProviderRequest) -> Int {
        guard request.method == .put, let token = configuration.administrationToken,
            routes.administrationPath(request.path) == "snapshot", let sent = request.bearerToken, token.matches(sent)
        else { return ProviderRequest.maximumBodyBytes }
        return Self.maximumSnapshotBytes
    }

    /// `/admin/snapshot`.
    func administerSnapshot(_ request: ProviderRequest) async throws -> ProviderResponse {
        do throws(ProviderSnapshotError) {
            guard request.method == .put else {
                return ProviderResponse(
                    status: .ok,
                    fields: [
                        .contentType: "application/json", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
                    ],
                    content: .bytes(try await snapshot())
                )
            }
            guard request.fields[.contentType]?.split(separator: ";").first?.lowercased() == "application/json" else {
                throw .malformed("The body has to be a snapshot, as application/json.")
            }
            try await restore(request.body)
            return .nothing
        } catch {
            switch error {
            case .malformed, .settings: throw Refusal.json(.invalidRequest, error.description)
            case .issuer:
                throw Refusal.json(OAuthError(code: .invalidRequest, description: error.description), .conflict)
            case .tooLarge:
                let status: HTTPResponse.Status = request.method == .put ? .contentTooLarge : .conflict
                throw Refusal.json(OAuthError(code: .invalidRequest, description: error.description), status)
            case .storage(let failure): throw failure
            }
        }
    }
}
