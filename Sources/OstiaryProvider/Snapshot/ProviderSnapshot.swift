import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The reason a snapshot cannot be taken or restored.
public enum ProviderSnapshotError: Error, Sendable, Hashable {
    /// The text is not a snapshot; the sentence names the member and what it has to be, never its value.
    case malformed(String)
    /// The snapshot is of another issuer, this one.
    case issuer(String)
    /// The state or the snapshot is larger than ``Provider/maximumSnapshotBytes``.
    case tooLarge
    /// The settings of the snapshot need an algorithm that no key may have here.
    case settings(String)
    /// The storage failed; the state is as before.
    case storage(ProviderStorageFailure)
}

extension ProviderSnapshotError: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        switch self {
        case .malformed(let sentence), .settings(let sentence): sentence
        case .issuer(let issuer): "The snapshot is of the issuer \(issuer). A provider restores its own alone."
        case .tooLarge: "A snapshot has \(Provider.maximumSnapshotBytes) bytes and a million values at most."
        case .storage(let failure): "The storage failed to \(failure.operation)."
        }
    }
}

/// The state of a provider at one moment: all that the configuration does not say.
struct ProviderSnapshot: Sendable {
    /// The version of the form.
    private static let version = 1

    var issuer: String
    /// The time by which the clock was moved forward.
    var lead: Duration
    var users: [ProviderUser]
    /// The settings that differ from the configuration's.
    var settings: JSONObject
    var records: [ProviderRecord.Stored]

    /// The JSON text.
    ///
    /// - Throws: ``ProviderSnapshotError/tooLarge`` for one that could not be restored.
    func encoded() throws(ProviderSnapshotError) -> [UInt8] {
        let object: JSONObject = [
            "version": .integer(Self.version), "issuer": .string(issuer),
            "advanced": .integer(Int(lead.inSeconds)), "users": .array(users.map { .object($0.kept) }),
            "settings": .object(settings), "records": .array(records.map { .object($0.kept) }),
        ]
        let bytes = object.encoded()
        guard (try? JSONObject(parsing: bytes, limits: ProviderRecord.limits)) != nil else { throw .tooLarge }
        return bytes
    }

    init(
        issuer: String,
        lead: Duration,
        users: [ProviderUser],
        settings: JSONObject,
        records: [ProviderRecord.Stored]
    ) {
        self.issuer = issuer
        self.lead = lead
        self.users = users
        self.settings = settings
        self.records = records
    }

    /// Reads a JSON text.
    init(_ bytes: [UInt8]) throws(ProviderSnapshotError) {
        let object: JSONObject
        do throws(JSONError) { object = try JSONObject(parsing: bytes, limits: ProviderRecord.limits) } catch {
            switch error {
            case .tooLarge, .tooManyValues: throw .tooLarge
            default: throw .malformed("The snapshot is not a JSON object.")
            }
        }
        guard object["version"]?.integer == Self.version else {
            throw .malformed("version of the snapshot is not \(Self.version), the one that this release reads.")
        }
        guard let issuer = object["issuer"]?.string else { throw .malformed("issuer of the snapshot is not a text.") }
        guard let advanced = object["advanced"]?.integer, (0...RunTimeSettings.longestLead).contains(advanced) else {
            let range = "0 to \(RunTimeSettings.longestLead)"
            throw .malformed("advanced of the snapshot is not a number of seconds from \(range).")
        }
        guard let settings = object["settings"]?.object else {
            throw .malformed("settings of the snapshot is not an object.")
        }
        self.issuer = issuer
        lead = .seconds(advanced)
        self.settings = settings
        users = try Self.elements(object, "users") { ProviderUser(kept: $0) }
        records = try Self.elements(object, "records") { ProviderRecord.Stored(kept: $0) }
        try checkUniqueness()
    }

    private static func elements<Element>(
        _ object: JSONObject,
        _ name: String,
        _ read: (JSONObject) -> Element?
    ) throws(ProviderSnapshotError) -> [Element] {
        guard let array = object[name]?.array else { throw .malformed("\(name) of the snapshot is not a list.") }
        var elements: [Element] = []
        for (place, value) in array.enumerated() {
            guard let element = value.object.flatMap(read) else {
                throw .malformed("\(name)[\(place)] of the snapshot cannot be read.")
            }
            elements.append(element)
        }
        return elements
    }

    private func checkUniqueness() throws(ProviderSnapshotError) {
        guard users.count <= UserDirectory.maximumUsers else {
            throw .malformed("users of the snapshot has more than \(UserDirectory.maximumUsers) elements.")
        }
        // Bytes, not characters: two spellings of a letter are two names.
        guard Set(users.map { Array($0.name.utf8) }).count == users.count,
            Set(users.map { Array($0.subject.utf8) }).count == users.count
        else { throw .malformed("users of the snapshot has a name or a sub twice.") }
        let keys = records.map { [Array($0.record.kind.rawValue.utf8), Array($0.record.key.utf8)] }
        guard Set(keys).count == keys.count else {
            throw .malformed("records of the snapshot has a key of a kind twice.")
        }
    }
}

extension ProviderUser {
    fileprivate var kept: JSONObject {
        var object: JSONObject = [
            "name": .string(name), "sub": .string(subject), "password_hash": .string(passwordHash.encoded),
            "claims": .object(claims),
        ]
        object["one_time_password"] = oneTimePassword.map { .object($0.members) }
        return object
    }

    fileprivate init?(kept object: JSONObject) {
        guard let name = object["name"]?.string, !name.isEmpty, name.utf8.count <= 256,
            let subject = object["sub"]?.string, Provider.isSubject(subject),
            let hash = object["password_hash"]?.string.flatMap(PasswordHash.init(encoded:)),
            let claims = object["claims"]?.object
        else { return nil }
        self.init(name: name, passwordHash: hash, subject: subject, claims: claims)
        guard let oneTimePassword = object["one_time_password"] else { return }
        guard let password = oneTimePassword.object.flatMap(OneTimePassword.init(members:)) else { return nil }
        self.oneTimePassword = password
    }
}

extension ProviderRecord.Stored {
    fileprivate var kept: JSONObject {
        var object: JSONObject = [
            "kind": .string(record.kind.rawValue), "key": .string(record.key), "value": .object(record.value),
        ]
        object["family"] = record.family.map { .string($0) }
        object["session"] = record.session.map { .string($0) }
        object["expires"] = record.expires.map { .number($0.timeIntervalSince1970) }
        if isUsed { object["used"] = true }
        return object
    }

    /// Reads a record; `nil` for one that the provider cannot use.
    fileprivate init?(kept object: JSONObject) {
        guard let kind = object["kind"]?.string.flatMap(ProviderRecord.Kind.init(rawValue:)),
            let key = object["key"]?.string, let value = object["value"]?.object
        else { return nil }
        let texts = ["family", "session"].compactMap { object[$0] }
        guard texts.allSatisfy({ $0.string != nil }), object["used"].map({ $0.bool != nil }) ?? true,
            object.isTimeOrAbsent("expires")
        else { return nil }
        let record = ProviderRecord(
            kind: kind,
            key: key,
            family: object["family"]?.string,
            session: object["session"]?.string,
            value: value,
            expires: object["expires"]?.time
        )
        guard record.isReadable else { return nil }
        self.init(record, isUsed: object["used"]?.bool ?? false)
    }
}

extension ProviderRecord {
    /// Whether the provider can read the content of the record.
    fileprivate var isReadable: Bool {
        switch kind {
        case .interaction: Interaction(self) != nil
        case .loginSession: LoginSession(self) != nil
        case .grant: IssuedGrant(self) != nil
        case .authorizationCode: IssuedCode(self) != nil
        case .refreshToken, .accessToken: IssuedToken(self) != nil
        case .registeredClient: ClientRegistration(self) != nil
        case .passkey: Passkey(self) != nil
        case .signingKey: KeyRing.key(of: self) != nil
        case .deviceCode: PendingDevice(self) != nil
        case .devicePolling: DevicePolling(self) != nil
        case .sessionClient, .pendingLogout, .consent, .dpopProof, .clientAssertion, .attestationProof,
            .oneTimePassword, .browserAccounts, .pushedRequest, .userCode, .deviceDecision, .subjectSalt:
            true
        }
    }
}
