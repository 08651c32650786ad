import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import Synchronization

/// Apps that call guarded routes with access tokens, half of them bound to keys; and thieves that show proofs again.
struct Calls: Sendable {
    struct Holder: Sendable {
        let token: String
        let key: SigningKey?
    }

    let client: HTTPClient
    let origin: String
    /// What the world calls the service; proofs are for that.
    let externalOrigin: String
    let bearerPath: String
    let boundPath: String
    private(set) var figures = Figures("calls")
    private(set) var thefts = Figures("proofs shown again")
    private let holders: [Holder]

    init(
        provider: LoadProvider,
        client: HTTPClient,
        origin: String,
        externalOrigin: String,
        audience: String,
        bearerPath: String,
        boundPath: String
    ) throws {
        self.client = client
        self.origin = origin
        self.externalOrigin = externalOrigin
        self.bearerPath = bearerPath
        self.boundPath = boundPath
        holders = try (0..<200).map { number in
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

    /// The same, with figures that begin now.
    func beginningNow() -> Calls {
        var copy = self
        copy.figures = Figures(figures.name)
        copy.thefts = Figures(thefts.name)
        return copy
    }

    /// Makes so many calls; every fiftieth bound one is followed by a thief, who shows the same proof again.
    func run(_ count: Int, atOnce: Int) async {
        await times(count, atOnce: atOnce) { number in
            let holder = holders[number % holders.count]
            let path = holder.key == nil ? bearerPath : boundPath
            let proof = holder.proof(for: externalOrigin + path)
            let began = ContinuousClock.now
            let kind = await call(path, holder, proof)
            figures.add(ContinuousClock.now - began)
            figures.count(kind)
            guard let proof, number % 100 == 1, kind == "200" else { return }
            let theft = ContinuousClock.now
            thefts.count(await call(path, holder, proof))
            thefts.add(ContinuousClock.now - theft)
        }
    }

    private func call(_ path: String, _ holder: Holder, _ proof: String?) async -> String {
        var request = HTTPClientRequest(url: origin + path)
        request.headers.add(name: "authorization", value: "\(proof == nil ? "Bearer" : "DPoP") \(holder.token)")
        if let proof { request.headers.add(name: "dpop", value: proof) }
        do {
            let response = try await client.execute(request, timeout: .seconds(15))
            _ = try await response.body.collect(upTo: 65_536)
            return "\(response.status.code)"
        } catch {
            return "no answer"
        }
    }
}

extension Calls.Holder {
    /// A proof for one call; `nil` for a token that is bound to no key. (RFC 9449 section 4.2)
    fileprivate func proof(for url: String) -> String? {
        guard let key else { return nil }
        var publicKey = JSONObject()
        for name in ["kty", "crv", "x", "y"] { publicKey[name] = key.publicKey.jsonObject[name] }
        let claims: JSONObject = [
            "jti": .string(Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })),
            "htm": "GET", "htu": .string(url), "iat": .integer(Int(Date.now.timeIntervalSince1970)),
            "ath": .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array(token.utf8)))),
        ]
        return try? key.sign(claims: claims, type: "dpop+jwt", extraHeader: ["jwk": .object(publicKey)])
    }
}
