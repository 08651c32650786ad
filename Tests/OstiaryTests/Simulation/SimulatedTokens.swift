import Foundation
import OstiaryJOSE

@testable import OstiaryOAuth

/// Tokens whose values are numbers: a later one of the provider has a larger number.
extension Secret {
    init(number: Int) { self.init(String(number)) }

    var number: Int? { Int(reveal()) }
}

extension AccessToken {
    /// An access token of the simulated provider, valid for 15 seconds.
    init(number: Int, received: Date, lifetime: Double = 15) {
        self.init(
            value: Secret(number: number),
            scopes: [],
            expiry: received.addingTimeInterval(lifetime),
            lifetimeInSeconds: lifetime,
            received: received
        )
    }
}

extension TokenSet {
    /// The tokens of a sign-in.
    static func issued(to user: String, refreshToken: Int, access: AccessToken) -> TokenSet {
        TokenSet(
            issuer: try! Issuer("https://provider.example"),
            clientID: "app",
            access: access,
            targetTokens: [:],
            refreshToken: Secret(number: refreshToken),
            refreshTokenExpiry: nil,
            identity: IDToken(of: user),
            dpopKey: nil,
            issuedTokenType: nil,
            additionalMembers: TokenSet.AdditionalMembers(),
            isUnproven: false,
            claimedIdentity: nil
        )
    }

    /// These tokens after a refresh for a target.
    func refreshed(_ refreshToken: Int, _ token: AccessToken, for target: AccessTokenTarget) -> TokenSet {
        TokenSet(
            issuer: issuer,
            clientID: clientID,
            access: target.isSignIn ? token : access,
            targetTokens: target.isSignIn ? targetTokens : targetTokens.merging([target: token]) { $1 },
            refreshToken: Secret(number: refreshToken),
            refreshTokenExpiry: nil,
            identity: identity,
            dpopKey: nil,
            issuedTokenType: nil,
            additionalMembers: additionalMembers,
            isUnproven: false,
            claimedIdentity: nil
        )
    }
}

extension IDToken {
    fileprivate init(of user: String) {
        let parts = [#"{"alg":"ES256"}"#, #"{"sub":"\#(user)"}"#, "signature"].map { Base64URL.encode(Array($0.utf8)) }
        self.init(try! VerifiedJWT.restored(compact: parts.joined(separator: ".")))
    }
}

/// Random numbers that are the same for the same seed on every machine (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
        // Else the numbers of one seed would be those of the next, one place on.
        state = next() ^ 0xD1B5_4A32_D192_ED03
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to 1.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53 as UInt64) }

    /// Whether something of a given chance happens.
    mutating func happens(_ chance: Double) -> Bool { fraction() < chance }

    /// A number from 0 up to another one.
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
