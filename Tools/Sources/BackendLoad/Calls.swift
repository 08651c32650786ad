import AsyncHTTPClient
import Foundation
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth

/// Apps that call guarded routes with access tokens, half of them bound to keys, and attackers that replay proofs.
struct Calls: Sendable {
    struct Holder: Sendable {
        let token: String
        let key: SigningKey?
    }

    let client: HTTPClient
    let origin: String
    /// The public origin of the service, which proofs name.
    let externalOrigin: String
    /// The time for which an app waits for a response, in seconds.
    let patience: Double
    /// The kind of access token.
    enum Kind: String, Sendable { case bearer, bound }

    let bearer = Figures("calls with bearer tokens")
    let bound = Figures("calls with proofs")
    let thefts = Figures("proofs shown again")
    private let holders: [Holder]

    init(
        provider: LoadProvider,
        client: HTTPClient,
        origin: String,
        externalOrigin: String,
        patience: Double,
        audience: String,
        holders count: Int
    ) throws {
        self.client = client
        self.origin = origin
        self.externalOrigin = externalOrigin
        self.patience = patience
        holders = try (0..<max(2, count)).map { number in
            let key = number % 2 == 0 ? nil : try SigningKey.generate(.es256)
            let now = Int(Date.now.timeIntervalSince1970)
            var claims: JSONObject = [
                "iss": .string(provider.issuer), "aud": .string(audience), "sub": .string("user-\(number)"),
                "client_id": "app", "jti": .string("token-\(number)"), "iat": .integer(now),
                "exp": .integer(now + 3600),
                "scope": "read",
            ]
            if let key { claims["cnf"] = ["jkt": .string(key.publicKey.thumbprint())] }
            return Holder(token: try provider.key.sign(claims: claims, type: "at+jwt"), key: key)
        }
    }

    /// Makes the given number of calls of a kind; after every fiftieth bound call, an attacker replays its proof.
    func run(_ kind: Kind, _ goal: Goal, atOnce: Int) async {
        let figures = kind == .bearer ? bearer : bound
        let holders = holders.filter { ($0.key != nil) == (kind == .bound) }
        let path = "/" + kind.rawValue
        figures.begin()
        await goal.reach(atOnce: atOnce) { number in
            let holder = holders[number % holders.count]
            let proof = holder.key?.proof("GET", externalOrigin + path, for: holder.token)
            let began = ContinuousClock.now
            let answer = await call(path, holder, proof)
            figures.add(ContinuousClock.now - began)
            figures.count(answer)
            guard let proof, number % 50 == 1, answer == "200" else { return }
            let theft = ContinuousClock.now
            thefts.count(await call(path, holder, proof))
            thefts.add(ContinuousClock.now - theft)
        }
    }

    private func call(_ path: String, _ holder: Holder, _ proof: String?) async -> String {
        var fields = [("authorization", "\(proof == nil ? "Bearer" : "DPoP") \(holder.token)")]
        if let proof { fields.append(("dpop", proof)) }
        return await client.ask(.GET, origin + path, fields, within: patience).kind
    }
}
