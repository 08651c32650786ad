import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

/// The cookies that identify browsers: one for the session, and one for each sign-in in progress.
///
/// Every cookie has the prefix `__Host-` and the attributes `Secure`, `HttpOnly` and `Path=/`, and no `Domain`: a page
/// cannot read it, and no other host can set it (RFC 6265bis section 4.1.3.2, RFC 10017 section 6.1.3.2). Safari drops
/// `Secure` cookies of `http://localhost` and `http://127.0.0.1`: develop with another browser, or with https.
public struct BrowserCookies: Sendable, Hashable {
    /// Whether a browser sends the session's cookie with requests that pages of other sites cause.
    public enum SameSite: String, Sendable, Hashable, CaseIterable {
        /// Never, not even when the user follows a link: the first page after a link has no session.
        ///
        /// For pages that fetch the session themselves.
        case strict
        /// When the user follows a link, which is a GET of a whole page.
        ///
        /// A gateway needs it: the issuer's redirect leads to the first page that it admits.
        case lax
    }

    /// The name of the session's cookie, without the prefix.
    public let name: String
    /// Whether a browser sends the session's cookie with requests that pages of other sites cause.
    public let sameSite: SameSite

    /// Names the cookies.
    ///
    /// - Parameters:
    ///   - name: 1 to 32 letters, digits, `-` and `_`; two services at one host have different ones. Default:
    ///     `ostiary`.
    ///   - sameSite: Whether the session's cookie goes with requests that pages of other sites cause. Default: never.
    /// - Throws: `configuration` at stage `storage` for another name.
    public init(name: String = "ostiary", sameSite: SameSite = .strict) throws(SignInError) {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName, (1...32).contains(name.utf8.count) else {
            throw SignInError(
                .storage,
                .configuration("A cookie's name must have 1 to 32 letters, digits, hyphens and underscores.")
            )
        }
        self.name = name
        self.sameSite = sameSite
    }

    private var sessionName: String { "__Host-" + name }
    private var signInPrefix: String { "__Host-\(name)-sign-in-" }

    /// The name of a sign-in's cookie: several may be in progress in the windows of one browser.
    private func signInName(_ state: String) -> String {
        signInPrefix + StoreDigest("browser sign-in cookie", [state]).description
    }

    /// The largest number of sign-ins that one browser may have in progress.
    private static let maximumSignIns = 7

    // MARK: Reading

    /// The session's handle; `nil` for a missing or malformed one, and for two.
    func session(in fields: HTTPFields) -> String? { value(of: sessionName, in: fields) }

    /// The value that binds a sign-in to the browser that started it.
    func binding(ofSignIn state: String, in fields: HTTPFields) -> String? { value(of: signInName(state), in: fields) }

    private func value(of name: String, in fields: HTTPFields) -> String? {
        let values = Self.pairs(in: fields).filter { $0.name == name }.map(\.value)
        // With two of the same name, one is not this service's.
        guard values.count == 1, Self.isRandomValue(values[0]) else { return nil }
        return values[0]
    }

    /// Whether it has the form of 32 random bytes in base64url.
    static func isRandomValue(_ text: String) -> Bool {
        text.utf8.count == 43 && (try? Base64URL.decode(text))?.count == 32
    }

    /// 32 random bytes in base64url.
    static func randomValue() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    private static func pairs(in fields: HTTPFields) -> [(name: String, value: String)] {
        fields[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let text = pair.drop { $0 == " " || $0 == "\t" }
            guard let sign = text.firstIndex(of: "=") else { return nil }
            return (String(text[..<sign]), String(text[text.index(after: sign)...]))
        }
    }

    // MARK: Writing

    func sessionField(_ handle: Secret, seconds: Int) -> HTTPField {
        field(sessionName, handle.reveal(), sameSite, seconds)
    }

    func endedSessionField() -> HTTPField { field(sessionName, "", sameSite, 0) }

    /// Lax, since the issuer's redirect to the callback comes from another site.
    func signInField(_ state: String, binding: String, seconds: Int) -> HTTPField {
        field(signInName(state), binding, .lax, seconds)
    }

    func endedSignInField(_ state: String) -> HTTPField { field(signInName(state), "", .lax, 0) }

    /// Removes the cookies of earlier sign-ins when there are too many for another one.
    func endedSignIns(in fields: HTTPFields) -> [HTTPField] {
        let names = Set(Self.pairs(in: fields).map(\.name).filter { $0.hasPrefix(signInPrefix) })
        guard names.count >= Self.maximumSignIns else { return [] }
        return names.filter { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }.sorted().map {
            field($0, "", .lax, 0)
        }
    }

    private func field(_ name: String, _ value: String, _ sameSite: SameSite, _ seconds: Int) -> HTTPField {
        let site = sameSite == .strict ? "Strict" : "Lax"
        return HTTPField(
            name: .setCookie,
            value: "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=\(site); Max-Age=\(seconds)"
        )
    }
}
