import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A device authorization request that waits for the user (RFC 8628 section 3.2).
///
/// The record never changes. The decision and the polling are separate records with one writer each, so that a poll and
/// a decision at the same moment cannot undo each other.
struct PendingDevice: Sendable {
    /// The digest of the device code.
    var key: String
    var clientID: String
    var scopes: [Scope]
    /// The resource servers that its access tokens may be for (RFC 8707).
    var resources: [String]
    var userCode: UserCode
    /// The expiry of both codes; the record stays longer, so that a late poll gets `expired_token`.
    var expires: Date
    /// The S256 challenge of the device's proof key (RFC 7636 section 4.2); `nil` for none.
    var challenge: String?

    func record(remembered: Date) -> ProviderRecord {
        var value: JSONObject = [
            "client_id": .string(clientID), "scope": .string(scopes.text),
            "user_code": .string(userCode.letters), "exp": .number(expires.timeIntervalSince1970),
            "resource": .strings(resources),
        ]
        value["code_challenge"] = challenge.map { .string($0) }
        return ProviderRecord(kind: .deviceCode, key: key, value: value, expires: remembered)
    }

    /// The record that finds the device by its user code.
    var userCodeRecord: ProviderRecord {
        ProviderRecord(kind: .userCode, key: userCode.key, value: ["device": .string(key)], expires: expires)
    }

    init(
        key: String,
        clientID: String,
        scopes: [Scope],
        resources: [String],
        userCode: UserCode,
        expires: Date,
        challenge: String? = nil
    ) {
        self.key = key
        self.clientID = clientID
        self.scopes = scopes
        self.resources = resources
        self.userCode = userCode
        self.expires = expires
        self.challenge = challenge
    }

    init?(_ record: ProviderRecord) {
        guard let clientID = record.value["client_id"]?.string, let scopes = record.value["scope"]?.string,
            let userCode = record.value["user_code"]?.string.flatMap(UserCode.init(typed:)),
            let expires = record.value["exp"]?.time
        else { return nil }
        self.init(
            key: record.key,
            clientID: clientID,
            scopes: Scope.list(scopes),
            resources: record.value["resource"]?.array?.compactMap(\.string) ?? [],
            userCode: userCode,
            expires: expires,
            challenge: record.value["code_challenge"]?.string
        )
    }
}

/// The user's decision about a device.
enum DeviceDecision: Sendable {
    case denied
    case allowed(grant: String)

    func record(_ device: PendingDevice, remembered: Date) -> ProviderRecord {
        var value: JSONObject = [:]
        if case .allowed(let grant) = self { value["grant"] = .string(grant) }
        return ProviderRecord(kind: .deviceDecision, key: device.key, value: value, expires: remembered)
    }

    init(_ record: ProviderRecord) {
        self = record.value["grant"]?.string.map { .allowed(grant: $0) } ?? .denied
    }
}

/// The polling of a device (RFC 8628 section 3.5).
struct DevicePolling: Sendable {
    /// Seconds from one poll to the next.
    var interval: Double = Self.firstInterval
    /// The number of polls.
    var count = 0
    var last: Date?

    static let firstInterval: Double = 5
    /// The seconds that every early poll permanently adds to the interval.
    static let step: Double = 5
    /// More polls than this are not counted.
    private static let maximumCount = 1_000_000

    /// Counts a poll; whether it came too early.
    mutating func poll(at now: Date) -> Bool {
        let isEarly = last.map { now.timeIntervalSince($0) < interval } ?? false
        if isEarly { interval += Self.step }
        count = min(count + 1, Self.maximumCount)
        last = now
        return isEarly
    }

    func record(_ device: PendingDevice, remembered: Date) -> ProviderRecord {
        var value: JSONObject = ["interval": .number(interval), "count": .integer(count)]
        value["last"] = last.map { .number($0.timeIntervalSince1970) }
        return ProviderRecord(kind: .devicePolling, key: device.key, value: value, expires: remembered)
    }

    init() {}

    init?(_ record: ProviderRecord) {
        guard let interval = record.value["interval"]?.number, let count = record.value["count"]?.integer,
            (0...Self.maximumCount).contains(count), record.value.isTimeOrAbsent("last")
        else { return nil }
        self.interval = interval
        self.count = count
        last = record.value["last"]?.time
    }
}
