import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOSSL
import OstiaryAsyncHTTPClient
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import SwiftASN1
import Testing
import X509

@Suite("The authority of this machine", .timeLimit(.minutes(2)))
struct DevelopmentAuthorityTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let day: TimeInterval = 86_400

    /// The certificate of a file, which may have a key before it.
    private func certificate(_ path: String) throws -> Certificate {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let start = try #require(text.range(of: "-----BEGIN CERTIFICATE-----"))
        return try Certificate(pemEncoded: String(text[start.lowerBound...]))
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// The result of reading the metadata, for a client that trusts one authority alone.
    private func read(_ running: RunningProvider, host: String, trusting file: String) async -> TransportFailure? {
        let transport = AsyncHTTPClientTransport {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(file)
            $0.tlsConfiguration = tls
        }
        guard let url = URL(string: "https://\(host):\(running.port)/.well-known/openid-configuration") else {
            return .insecureURL
        }
        do throws(TransportFailure) {
            let response = try await transport.send(EndpointRequest(url: url))
            return response.status == .ok ? nil : .unreachable
        } catch {
            return error
        }
    }

    @Test("A client that trusts the authority alone reaches the provider, and one that trusts another fails as tls")
    func handshake() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let own = try DevelopmentAuthority(folder: folder + "/own")
            let other = try DevelopmentAuthority(folder: folder + "/other")
            let running = try await ProviderServer.start(tls: own.tls) {
                try await Provider.forPeople(try Fixtures.configuration($0))
            }
            #expect(running.issuer.description == "https://127.0.0.1:\(running.port)")
            for host in ["127.0.0.1", "localhost"] {
                #expect(await read(running, host: host, trusting: own.certificateFile) == nil)
                #expect(await read(running, host: host, trusting: other.certificateFile) == .tls)
            }
            await running.stop()
        }
    }

    @Test("A start with the same folder has the same authority and certificate, in files of the owner alone")
    func restart() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let place = folder + "/state/tls"
            let files = ["ca.pem", "ca-key.pem", "server.pem"].map { "\(place)/\($0)" }
            _ = try DevelopmentAuthority(folder: place, now: Self.now)
            let first = try files.map(text)
            _ = try DevelopmentAuthority(folder: place, now: Self.now.addingTimeInterval(14 * Self.day))
            #expect(try files.map(text) == first)
            #expect(try files.map(mode) == [0o600, 0o600, 0o600])
            #expect(try mode(place) == 0o700)
            #expect(!first[0].contains("PRIVATE") && first[1].contains("PRIVATE"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: place).count == 3)
        }
    }

    @Test("A certificate in the second half of its life is issued again, by the same authority")
    func renewal() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let first = try DevelopmentAuthority(folder: folder, now: Self.now)
            let (authority, server) = (try text(first.certificateFile), try text(first.tls.keyFile))
            let later = Self.now.addingTimeInterval(15 * Self.day)
            let second = try DevelopmentAuthority(folder: folder, now: later)
            #expect(try text(second.certificateFile) == authority)
            #expect(try text(second.tls.keyFile) != server)
            let renewed = try certificate(second.tls.certificateFile)
            #expect(renewed.notValidAfter == later.addingTimeInterval(30 * Self.day - 3600))
            // A clock that was set back must not leave one that is not valid yet.
            _ = try DevelopmentAuthority(folder: folder, now: Self.now)
            #expect(try certificate(second.tls.certificateFile).notValidBefore < Self.now)
        }
    }

    @Test("An authority that ends before a new certificate would is replaced, and the certificate with it")
    func expiredAuthority() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let first = try DevelopmentAuthority(folder: folder, now: Self.now)
            let authority = try text(first.certificateFile)
            _ = try DevelopmentAuthority(folder: folder, now: Self.now.addingTimeInterval(1795 * Self.day))
            #expect(try text(first.certificateFile) == authority)
            let later = Self.now.addingTimeInterval(1796 * Self.day)
            let second = try DevelopmentAuthority(folder: folder, now: later)
            #expect(try text(second.certificateFile) != authority)
            let (issuer, server) = (try certificate(second.certificateFile), try certificate(second.tls.keyFile))
            #expect(issuer.publicKey.isValidSignature(server.signature, for: server))
        }
    }

    @Test("A certificate has the issuer's host beside the loopback names, ES256, no name of a host in its subject")
    func names() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            func names() throws -> [String] {
                let own = try certificate(folder + "/server.pem").extensions.subjectAlternativeNames
                return try #require(own).map(\.description)
            }
            _ = try DevelopmentAuthority(folder: folder)
            let usual = try names()
            #expect(usual.count == 3)
            let first = try text(folder + "/server.pem")
            let authority = try DevelopmentAuthority(folder: folder, names: ["IdP.test", "127.0.0.1", "192.0.2.1"])
            #expect(try text(folder + "/server.pem") != first)
            #expect(try names().prefix(3) == usual[...])
            #expect(try names().count == 5 && names()[3].contains("idp.test"))
            let server = try certificate(authority.tls.certificateFile)
            #expect(server.signatureAlgorithm == .ecdsaWithSHA256)
            #expect(!server.subject.description.contains("localhost"))
            #expect(try server.extensions.basicConstraints == .notCertificateAuthority)
            #expect(
                try certificate(authority.certificateFile).extensions.basicConstraints
                    == .isCertificateAuthority(maxPathLength: 0)
            )
        }
    }

    @Test("A file of the authority that holds none is named with a next step, and stays")
    func damaged() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            _ = try DevelopmentAuthority(folder: folder)
            let path = folder + "/ca-key.pem"
            try "nothing".write(toFile: path, atomically: true, encoding: .utf8)
            do throws(ProviderServerError) {
                _ = try DevelopmentAuthority(folder: folder)
                Issue.record("an authority of a damaged file")
            } catch {
                #expect(error.description.hasPrefix("\(path) cannot be used: it holds no authority. Remove it"))
            }
            #expect(try text(path) == "nothing")
        }
    }

    @Test("A damaged certificate of the server is issued again, and a key of another certificate is none")
    func damagedServer() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let authority = try DevelopmentAuthority(folder: folder + "/a")
            let other = try DevelopmentAuthority(folder: folder + "/b")
            let path = authority.tls.certificateFile
            let key = try text(other.tls.keyFile).components(separatedBy: "-----BEGIN CERTIFICATE-----")[0]
            let certificate = try text(path).components(separatedBy: "-----END PRIVATE KEY-----\n")[1]
            for wrong in ["", "nothing", key + certificate, try text(other.tls.keyFile)] {
                try wrong.write(toFile: path, atomically: true, encoding: .utf8)
                _ = try DevelopmentAuthority(folder: folder + "/a")
                #expect(try text(path) != wrong)
            }
        }
    }

    @Test("A folder that cannot be made is named")
    func noFolder() {
        #expect(throws: ProviderServerError.certificate("/dev/null/tls", reason: "the folder cannot be made")) {
            try DevelopmentAuthority(folder: "/dev/null/tls")
        }
    }

    @Test("Several starts at once in a new folder have one authority")
    func atOnce() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try? DevelopmentAuthority(folder: folder) } }
            }
            let issuer = try certificate(folder + "/ca.pem")
            let server = try certificate(folder + "/server.pem")
            #expect(try certificate(folder + "/ca-key.pem") == issuer)
            #expect(issuer.publicKey.isValidSignature(server.signature, for: server))
        }
    }
}
