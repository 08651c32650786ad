import OstiaryOAuth
import OstiaryProvider

/// A provider whose refresh tokens are valid once: a second use ends the family, unless it comes within the grace.
///
/// Others, whose tokens stay valid, are simulated as well.
struct SimulatedProvider {
    /// The effect of a refresh on the refresh token.
    enum Rotation {
        /// It is used up, and there is a new one.
        case once
        /// It stays good, and there is a new one.
        case renewed
        /// It stays good, and comes again.
        case repeated
        /// It stays good, and the answer has none.
        case kept
    }

    struct Family {
        /// The tokens that were used up, and when first.
        var used: [Int: Double] = [:]
        var isOver = false
        /// Whether a request ended it, and not a token that was presented twice.
        var wasRevoked = false
    }

    /// Seconds within which a used refresh token is taken for a repetition.
    var grace: Double
    /// Whether a second use is taken for theft; otherwise it is refused, and that is all.
    var endsFamilies: Bool
    private let rotation: Rotation
    private(set) var families: [Int: Family] = [:]
    private var familyOf: [Int: Int] = [:]
    private var serial = 0
    private(set) var refreshes = 0

    init(grace: Double, endsFamilies: Bool, rotation: Rotation = .once) {
        self.grace = grace
        self.endsFamilies = endsFamilies
        self.rotation = rotation
    }

    /// A provider that treats refresh tokens as a provider in the field does.
    init(_ manners: ProviderManners) {
        switch manners.refreshTokens {
        case .once(let grace): self.init(grace: (grace ?? .zero) / .seconds(1), endsFamilies: true)
        case .renewed: self.init(grace: .infinity, endsFamilies: true, rotation: .renewed)
        case .repeated: self.init(grace: .infinity, endsFamilies: true, rotation: .repeated)
        case .kept: self.init(grace: .infinity, endsFamilies: true, rotation: .kept)
        }
    }

    /// Whether a refresh token may be presented any number of times.
    var takesRepetitions: Bool { rotation == .repeated || rotation == .kept }

    /// The successor that the client finds in an answer with a refresh token.
    func successor(_ token: Int, of presented: Int) -> RefreshSuccessor {
        rotation == .kept && token == presented ? .unchanged : .new(Secret(number: token))
    }

    /// A new sign-in: the refresh token and the access token that it gives.
    mutating func signIn() -> (family: Int, refreshToken: Int, access: Int) {
        let family = families.count + 1
        families[family] = Family()
        let refreshToken = issue(in: family)
        return (family, refreshToken, issue(in: family))
    }

    func family(of token: Int) -> Int? { familyOf[token] }

    /// Redeems a refresh token; `nil` for `invalid_grant`.
    mutating func refresh(_ token: Int, at time: Double) -> (refreshToken: Int, access: Int)? {
        guard let family = familyOf[token], families[family]?.isOver == false else { return nil }
        if takesRepetitions {
            refreshes += 1
            return (token, issue(in: family))
        }
        if let first = families[family]?.used[token], time - first > grace {
            if endsFamilies { families[family]?.isOver = true }
            return nil
        }
        if families[family]?.used[token] == nil { families[family]?.used[token] = time }
        refreshes += 1
        return (issue(in: family), issue(in: family))
    }

    mutating func revoke(_ token: Int) {
        guard let family = familyOf[token] else { return }
        families[family]?.isOver = true
        families[family]?.wasRevoked = true
    }

    private mutating func issue(in family: Int) -> Int {
        serial += 1
        familyOf[serial] = family
        return serial
    }
}
