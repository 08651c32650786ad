import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Password hashes")
struct PasswordHashTests {
    private func hash(_ password: String, seed: UInt64 = 1) throws -> PasswordHash {
        var random = CountingGenerator(state: seed)
        return try PasswordHash(Secret(password), cost: .insecureForTests, using: &random)
    }

    @Test("A password hash matches only the right password")
    func matches() throws {
        let hash = try hash("correct horse")
        #expect(hash.matches(Secret("correct horse")))
        #expect(!hash.matches(Secret("correct horse ")))
        #expect(!hash.matches(Secret("")))
    }

    @Test("An encoded password hash is read back unchanged")
    func encoding() throws {
        let hash = try hash("correct horse")
        #expect(hash.encoded.hasPrefix("$scrypt$ln=4,r=1,p=1$"))
        let read = try #require(PasswordHash(encoded: hash.encoded))
        #expect(read == hash)
        #expect(read.matches(Secret("correct horse")))
    }

    @Test("Two hashes of one password differ")
    func salt() throws {
        #expect(try hash("same", seed: 1).encoded != hash("same", seed: 2).encoded)
    }

    @Test(
        "Text that is no password hash is not read",
        arguments: [
            "", "$scrypt$", "$argon2id$ln=4,r=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=40,r=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=4,r=1,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=4,r=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$",
        ]
    )
    func malformed(text: String) {
        #expect(PasswordHash(encoded: text) == nil)
    }

    @Test("A password of over 1,024 bytes is not hashed")
    func longPassword() throws {
        _ = try hash(String(repeating: "a", count: 1024))
        #expect(throws: PasswordHash.Failure.passwordTooLong) { try hash(String(repeating: "a", count: 1025)) }
    }

    @Test("A password hash's cost out of range is refused")
    func cost() {
        var random = CountingGenerator()
        #expect(throws: PasswordHash.Failure.cost) {
            try PasswordHash(
                Secret("a"),
                cost: PasswordHash.Cost(logN: 30, blockSize: 8, parallelism: 1),
                using: &random
            )
        }
    }

    @Test("Printing a password hash shows its cost alone")
    func redaction() throws {
        var dumped = ""
        dump(try hash("correct horse"), to: &dumped)
        #expect(dumped.contains("ln=4"))
        #expect(!dumped.contains("$"))
        #expect(!dumped.contains("salt"))
    }
}
