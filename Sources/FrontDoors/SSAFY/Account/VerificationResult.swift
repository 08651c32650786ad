public import Ostiary
import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The app backend's result about a verified user, which is all that an app may store.
///
/// It contains no token, and a response that carries one is rejected.
public struct VerificationResult: Sendable, Hashable {
    /// The backend's status of a verified user.
    public struct Status: RawRepresentable, Sendable, Hashable {
        /// The value as it was sent.
        public let rawValue: String
        /// Takes any value.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The user is known and signed in.
        public static let verified = Status(rawValue: "verified")
        /// The user is verified, and must first create an account at the partner's.
        public static let signUpRequired = Status(rawValue: "signup_required")
    }

    /// The user's identifier for this client alone: another client gets another `sub` for the same user.
    public let subject: String
    /// The cohort, such as `15`, with `0` for the staff; `nil` without `ssafy.affiliation`.
    public let cohort: String?
    /// The campus; `nil` without `ssafy.affiliation`.
    public let campus: String?
    /// The time at which the user authenticated.
    public let authenticated: Date
    /// The backend's status of the user.
    public let status: Status
    /// The other members of the backend's response, such as `nextPath`.
    public let additionalMembers: JSONObject

    /// The members of the contract.
    static let ownMembers: Set<String> = ["ok", "verified", "sub", "cohort", "campus", "authTime", "status"]
    /// The members that only the backend may have.
    static let tokenMembers: Set<String> = [
        "verification_token", "verificationtoken", "access_token", "accesstoken", "id_token", "idtoken",
        "refresh_token", "refreshtoken", "client_secret", "clientsecret", "token", "code_verifier", "codeverifier",
    ]

    /// Makes the response of a backend, or of a test's replacement for one.
    ///
    /// Members of the contract's own names are left out of `additionalMembers`.
    public init(
        subject: String,
        cohort: String? = nil,
        campus: String? = nil,
        authenticated: Date,
        status: Status = .verified,
        additionalMembers: JSONObject = JSONObject()
    ) {
        self.subject = subject
        self.cohort = cohort
        self.campus = campus
        self.authenticated = authenticated
        self.status = status
        var rest = additionalMembers
        for name in Self.ownMembers { rest[name] = nil }
        self.additionalMembers = rest
    }

    /// Reads a backend's response, keeping members beyond the contract; a token among them makes the response invalid.
    ///
    /// - Parameter body: At most 65,536 bytes.
    /// - Throws: ``VerificationError/Reason/invalidAnswer(_:)`` with the code `VERIFY_RESPONSE_INVALID`.
    public init(parsing body: [UInt8]) throws(VerificationError) {
        func invalid(_ part: String) -> VerificationError {
            VerificationError(.invalidAnswer(part), code: .responseInvalid)
        }
        guard let object = try? JSONObject(parsing: body, limits: JSONLimits(maximumBytes: 65_536)) else {
            throw invalid("it is not a JSON object")
        }
        guard !Self.carriesToken(object) else { throw invalid("it carries a token, which is for the backend alone") }
        guard object["ok"] == true else { throw invalid("ok") }
        guard object["verified"] == true else { throw invalid("verified") }
        guard let subject = object["sub"]?.string, !subject.isEmpty else { throw invalid("sub") }
        guard let time = object["authTime"]?.number, time > 0, time < 253_402_300_800 else { throw invalid("authTime") }
        func text(_ name: String) throws(VerificationError) -> String? {
            guard let value = object[name], !value.isNull else { return nil }
            guard let text = value.string else { throw invalid(name) }
            return text
        }
        self.subject = subject
        cohort = try text("cohort")
        campus = try text("campus")
        authenticated = Date(timeIntervalSince1970: time)
        status = try text("status").map(Status.init) ?? .verified
        var rest = object
        for name in Self.ownMembers { rest[name] = nil }
        additionalMembers = rest
    }

    /// The body of the backend's response: `ok`, `verified`, `sub`, `cohort`, `campus` and `authTime`, any other
    /// `status` than ``Status/verified``, and the additional members.
    public var body: [UInt8] {
        var object: JSONObject = ["ok": true, "verified": true, "sub": .string(subject)]
        object["cohort"] = cohort.map { .string($0) }
        object["campus"] = campus.map { .string($0) }
        let time = authenticated.timeIntervalSince1970.rounded(.down)
        // On a watch `Int` has 32 bits.
        object["authTime"] = Int(exactly: time).map(JSONValue.integer) ?? .number(time)
        if status != .verified { object["status"] = .string(status.rawValue) }
        for member in additionalMembers.members { object[member.name] = member.value }
        return object.encoded()
    }

    private static func carriesToken(_ object: JSONObject) -> Bool {
        object.members.contains { tokenMembers.contains($0.name.lowercased()) || carriesToken($0.value) }
    }

    private static func carriesToken(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let object): carriesToken(object)
        case .array(let values): values.contains(where: carriesToken)
        default: false
        }
    }
}

extension VerificationResult: CustomStringConvertible, CustomReflectable {
    /// The status; no data about the user.
    public var description: String { "VerificationResult(\(status.rawValue))" }
    /// The status.
    public var customMirror: Mirror { Mirror(self, children: ["status": status.rawValue]) }
}
