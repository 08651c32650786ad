import Backend
import Foundation
import OstiaryOAuth
import OstiaryPostgreSQL
import OstiaryServer
import Testing

@Suite("The service's configuration")
struct BackendConfigurationTests {
    static let key = Data(repeating: 7, count: 32).base64EncodedString()

    @Test("A complete configuration file is read, with secrets from files and variables")
    func whole() throws {
        let configuration = try read(
            """
            {"listen": {"address": "0.0.0.0", "port": 8443}, "origins": ["https://api.example.com"],
             "client_address": "forwarded", "migrate": "by_command", "log_level": "warning", "draining_seconds": 5,
             "store": {"type": "postgresql", "host": "db", "database": "app", "user": "app",
                       "password": {"file": "password"}, "security": "verified", "connections": 20},
             "sealing_keys": [{"id": "2", "key": {"environment": "KEY"}}],
             "ssafy": {"client_id": "partner", "client_secret": {"file": "password"},
                       "redirect_uris": ["https://app.example.com/callback"]},
             "resources": [{"path": "/me", "issuer": "https://id.example.com", "audience": "https://api.example.com",
                            "scopes": ["read"], "binding": "dpop"}]}
            """
        )
        #expect(configuration.listening.port == 8443)
        #expect(configuration.clientAddress == .forwarded)
        #expect(configuration.migration == .byCommand)
        #expect(configuration.resources.map(\.path) == ["/me"])
        #expect(configuration.handoff?.path == "/ssafy/verify")
        guard case .postgreSQL(let database) = configuration.store else {
            Issue.record("It is another store.")
            return
        }
        #expect(database.connections == 20)
        #expect(database.password?.reveal() == "from a file")
        #expect(database.security == .verified(certificateAuthorities: "/etc/ssl/certs/ca-certificates.crt"))
    }

    @Test("A configuration error names the member", arguments: BackendConfigurationTests.faults)
    func wrongMember(change: Fault) throws {
        let text = Self.good.replacing(change.from, with: change.to)
        #expect(text != Self.good)
        do {
            _ = try read(text)
            Issue.record("It was read.")
        } catch let error as BackendConfigurationError {
            #expect(error.member == change.member, "\(error)")
            #expect(!error.description.contains("from a file"))
        }
    }

    @Test(
        "A configuration error names the value expected and the value found, except in the place of a secret",
        arguments: [
            ("\"port\": 1", "\"port\": 65536", "Expected a whole number from 0 to 65535; found 65536."),
            ("\"port\": 1", "\"port\": \"any\"", "Expected a whole number from 0 to 65535; found \"any\"."),
            ("\"memory\"", "\"files\"", "Expected one of memory, sqlite, postgresql; found \"files\"."),
            (
                "\"memory\"", "\"\(String(repeating: "m", count: 65))\"",
                "Expected one of memory, sqlite, postgresql; found a string."
            ),
            ("[\"https://api.example.com\"]", "{}", "Expected an array; found an object."),
            (
                "{\"environment\": \"KEY\"}", "12345",
                "Expected an object with \"file\" or \"environment\", since the configuration contains no secrets; found a number."
            ),
            ("\"port\": 1", "\"port\": 1, \"port\": 2", "The member \"port\" occurs twice in one object: remove one."),
            ("{\"type\": \"memory\"}", "{\"type\": \"sqlite\"}", "This setting is required."),
        ]
    )
    func sentence(from old: String, to new: String, sentence: String) throws {
        let error = #expect(throws: BackendConfigurationError.self) { try read(Self.good.replacing(old, with: new)) }
        #expect(error?.sentence == sentence)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let from: String
        let to: String
        let member: String
        var testDescription: String { to }
    }

    static let good = """
        {"origins": ["https://api.example.com"], "store": {"type": "memory"},
         "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}], "listen": {"port": 1}}
        """

    static let faults: [Fault] = [
        Fault(from: "\"origins\"", to: "\"orígins\"", member: "orígins"),
        Fault(from: "[\"https://api.example.com\"]", to: "[]", member: "origins"),
        Fault(from: "https://api.example.com", to: "http://api.example.com", member: "origins[0]"),
        Fault(from: "\"memory\"", to: "\"files\"", member: "store.type"),
        Fault(from: "{\"type\": \"memory\"}", to: "{\"type\": \"sqlite\"}", member: "store.path"),
        Fault(from: "{\"environment\": \"KEY\"}", to: "\"\(key)\"", member: "sealing_keys[0].key"),
        Fault(from: "\"KEY\"", to: "\"ABSENT\"", member: "sealing_keys[0].key"),
        Fault(from: "{\"environment\": \"KEY\"}", to: "{\"file\": \"password\"}", member: "sealing_keys[0]"),
        Fault(from: "{\"environment\": \"KEY\"}", to: "{\"file\": \"absent\"}", member: "sealing_keys[0].key"),
        Fault(from: "\"port\": 1", to: "\"port\": 65536", member: "listen.port"),
        Fault(from: "\"port\": 1", to: "\"port\": 1, \"port\": 2", member: ""),
        Fault(from: "}]", to: "", member: ""),
    ]

    private func read(_ text: String) throws -> BackendConfiguration {
        let file = try TemporaryFile("backend.json")
        let folder = URL(filePath: file.path).deletingLastPathComponent()
        try Data(text.utf8).write(to: URL(filePath: file.path))
        try Data("from a file\n".utf8).write(to: folder.appending(path: "password"))
        return try BackendConfiguration(contentsOf: file.path, environment: ["KEY": Self.key])
    }
}
