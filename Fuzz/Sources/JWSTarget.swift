import OstiaryJOSE

extension FuzzTarget {
    /// A token as it came, or, when the input has a line feed in it, a header and a payload that are signed with a good key.
    static let jws = FuzzTarget(name: "jws") { bytes in
        if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            readSigned(header: Array(bytes[..<end]), payload: Array(bytes[(end + 1)...]))
        } else {
            readForeign(text(bytes))
        }
    }

    private static let maximumBytes = 2048

    /// The tokens that the examples of the RFCs signed: no other program can sign with their keys.
    private static let signed: Set<String> = [
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
    ]

    private static func readForeign(_ compact: String) {
        let token: UnverifiedJWT
        do throws(JOSEError) {
            token = try UnverifiedJWT(compact, maximumBytes: maximumBytes)
        } catch {
            demandDiscreet(error)
            return
        }
        demandDiscreet(token)
        demand(compact.utf8.count <= maximumBytes, "nothing longer than the limit is read")
        let parts = compact.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        demand(parts.count == 3, "a token has three parts")
        for part in [parts[0], parts[2]] {
            let decoded = try? Base64URL.decode(String(decoding: part, as: UTF8.self))
            demand(
                decoded.map(Base64URL.encode).map { $0.utf8.elementsEqual(part) } == true,
                "one spelling for each byte"
            )
        }
        do throws(JOSEError) {
            let verified = try token.verified(by: World.keys, algorithms: Set(SignatureAlgorithm.allCases))
            let input = text(parts[0]) + "." + text(parts[1])
            demand(signed.contains(input), "only what was signed is verified")
            demand(verified.compact == compact, "the token is kept as it came")
        } catch {
            demandDiscreet(error)
        }
    }

    private static func readSigned(header: [UInt8], payload: [UInt8]) {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        guard input.utf8.count <= maximumBytes, let signature = try? World.signer.signature(for: Array(input.utf8))
        else { return }
        let compact = input + "." + Base64URL.encode(signature)
        do throws(JOSEError) {
            let token = try UnverifiedJWT(compact)
            let verified = try token.verified(by: World.keys, algorithms: [.edDSA, .es256])
            demand(verified.algorithm == .edDSA, "the algorithm is the key's")
            demand(token.header.keyID ?? "ed" == "ed", "the key is the one that the header names")
            demand(token.header.parameters["crit"] == nil, "nothing critical is passed over")
            demand((try? JSONObject(parsing: payload)) == verified.claims, "the claims are what was signed")
            demandDiscreet(verified)
        } catch {
            demandDiscreet(error)
            guard error == .invalidSignature else { return }
            // The signer's own algorithm: under the name of another one its signature is bad.
            let algorithm = (try? UnverifiedJWT(compact))?.header.algorithmName
            demand(algorithm != "EdDSA", "a good signature is found good, unless the header names another key")
        }
    }
}
