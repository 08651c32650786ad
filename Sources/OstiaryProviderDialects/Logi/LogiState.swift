import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The dialect's state besides the provider's own records.
struct LogiState: Sendable {
    /// The endpoint that a device is known at; each has its own devices.
    enum DeviceKind: Sendable, Hashable {
        case bootstrap, anonymous, key
    }

    /// The owner of a device or a key.
    enum Owner: Sendable, Hashable {
        case person(String)
        case anonymous(Int)
    }

    struct DeviceName: Hashable, Sendable {
        var kind: DeviceKind
        var id: String
    }

    struct Device: Sendable {
        var owner: Owner
        var secret: SecretDigest
        var record: Int
    }

    /// A personal access key.
    struct Key: Sendable {
        var owner: Owner
        var scopes: [Scope]
        /// The client whose sign-in it came from; `nil` for a device without one.
        var clientID: String?
    }

    struct SessionToken: Sendable {
        var owner: Owner
        var expires: Date
        var isUsed = false
    }

    struct Merge: Sendable {
        var number: Int
        var primary: String
        var linked: String
        var via: String
        var occurred: Date

        /// The merge as a claim.
        var claim: JSONObject {
            [
                "sub": .string(linked), "merged_canonical_sub": .string(primary), "merged_via": .string(via),
                "occurred_at": .string(occurred.formatted(.iso8601)), "source_event_id": .string("evt_\(number)"),
            ]
        }
    }

    var devices: [DeviceName: Device] = [:]
    var keys: [SecretDigest: Key] = [:]
    var sessionTokens: [SecretDigest: SessionToken] = [:]
    /// The session token for an idempotency key of a caller.
    var repeated: [String: String] = [:]
    var merges: [Merge] = []
    /// The account that each identity token is linked to.
    var identities: [String: Owner] = [:]
    /// The times of each user's requests for device keys.
    var exchanges: [String: [Date]] = [:]
    private var last = 1000

    /// A number that nothing has had.
    mutating func nextNumber() -> Int {
        last += 1
        return last
    }
}

/// A refusal in the words of the vendor's `/api/v1`.
struct LogiRefusal: Error {
    var status: HTTPResponse.Status
    var code: String
    var sentence: String
    var retryAfter: Int?

    init(_ status: HTTPResponse.Status, _ code: String, _ sentence: String, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.sentence = sentence
        self.retryAfter = retryAfter
    }

    var response: ProviderResponse {
        if code.isEmpty { return ProviderResponse(status: status, fields: [.cacheControl: "no-store"]) }
        var response = ProviderResponse.json(
            ["error": .string(code), "error_description": .string(sentence)],
            status: status
        )
        if let retryAfter { response.fields[.retryAfter] = String(retryAfter) }
        return response
    }

    /// 401 and nothing else: "A missing or mismatched secret returns 401", says the document of the device endpoint.
    static let bareUnauthorized = LogiRefusal(.unauthorized, "", "")
    static let invalidDeviceSecret = LogiRefusal(
        .unauthorized,
        "invalid_device_secret",
        "The secret is not this device's."
    )
    static let invalidToken = LogiRefusal(.unauthorized, "invalid_token", "The token is unknown, too old or revoked.")
}
