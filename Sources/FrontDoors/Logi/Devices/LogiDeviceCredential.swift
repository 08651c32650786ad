public import Ostiary

/// The platform of a device, in the terms of the vendor's device endpoints.
public struct LogiPlatform: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The value on the wire.
    public let rawValue: String
    /// Takes any value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any value.
    public init(stringLiteral value: String) { rawValue = value }
    /// An iPhone or an iPad.
    public static let iOS: LogiPlatform = "ios"
    /// A Mac.
    public static let macOS: LogiPlatform = "macos"

    /// The platforms with anonymous accounts; others are not documented.
    static let anonymous: Set<LogiPlatform> = [.iOS, .macOS]
}

/// A key for the vendor's `/api/v1`, bound to this device; the OAuth access token is not taken there.
public struct LogiAccessKey: Sendable, Hashable {
    /// The key, sent as a bearer token.
    public let value: Secret
    /// The scopes of the key, if the server states them.
    public let scopes: [Scope]
    /// The server's identifier of this device; `nil` when it sent none.
    public let deviceRecordID: String?

    /// Takes a key from elsewhere.
    public init(_ value: Secret, scopes: [Scope] = [], deviceRecordID: String? = nil) {
        self.value = value
        self.scopes = scopes
        self.deviceRecordID = deviceRecordID
    }

    /// Reads the response of a device endpoint.
    init(_ answer: JSONObject, at stage: SignInError.Stage) throws(SignInError) {
        let scopes = answer["scopes"]?.array?.compactMap(\.string).map { Scope(rawValue: $0) } ?? []
        let value = Secret(try answer.text("access_token", at: stage))
        self.init(value, scopes: scopes, deviceRecordID: LogiDeviceCredential.record(in: answer))
    }
}

/// A device's credential: an identifier that it chose, and the secret that the server sent once.
struct LogiDeviceCredential: Sendable, Hashable {
    var device: String
    var secret: Secret?
    var record: String?

    /// Starts with a UUID of version 4 (RFC 9562 section 5.4).
    init(using random: inout any RandomNumberGenerator) {
        let high = random.next() & ~0xF000 | 0x4000
        let low = random.next() & ~(0b11 << 62) | 0b10 << 62
        var text = ""
        for (place, shift) in stride(from: 60, through: 0, by: -4).enumerated() {
            if place == 8 || place == 12 { text.append("-") }
            text.append(String(high >> UInt64(shift) & 0xF, radix: 16))
        }
        for (place, shift) in stride(from: 60, through: 0, by: -4).enumerated() {
            if place == 0 || place == 4 { text.append("-") }
            text.append(String(low >> UInt64(shift) & 0xF, radix: 16))
        }
        device = text
    }

    /// Takes the credential that another SDK kept.
    init(device: String, secret: Secret?, record: String?) throws(SignInError) {
        guard (1...512).contains(device.utf8.count) else {
            throw SignInError(.registration, .configuration("A device identifier has 1 to 512 bytes."))
        }
        self.device = device
        self.secret = secret.flatMap { $0.isEmpty ? nil : $0 }
        self.record = record
    }

    init(_ bytes: [UInt8]) throws(SignInError) {
        guard let object = try? JSONObject(parsing: bytes), object["version"]?.integer == 1,
            let device = object["device"]?.string, !device.isEmpty
        else { throw SignInError(.storage, .storage(.corrupted)) }
        self.device = device
        secret = object["secret"]?.string.map { Secret($0) }
        record = object["record"]?.string
    }

    var bytes: [UInt8] {
        var object: JSONObject = ["version": 1, "device": .string(device)]
        object["secret"] = secret.map { .string($0.reveal()) }
        object["record"] = record.map { .string($0) }
        return object.encoded()
    }

    /// Stores the values that a response contains only once.
    mutating func take(_ answer: JSONObject) {
        if let secret = answer["device_secret"]?.string, !secret.isEmpty { self.secret = Secret(secret) }
        if let record = Self.record(in: answer) { self.record = record }
    }

    /// `device_id`, `device.id` or `user.device_id`, a number or a text: each was seen.
    static func record(in answer: JSONObject) -> String? {
        let places = [answer["device_id"], answer["device"]?.object?["id"], answer["user"]?.object?["device_id"]]
        return places.lazy.compactMap { $0?.string ?? $0?.integer.map { String($0) } }.first { !$0.isEmpty }
    }
}
