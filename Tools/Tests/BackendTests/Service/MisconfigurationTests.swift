import Foundation
import Logging
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import OstiaryPostgreSQL
import Testing

@testable import Backend

/// The rows of the table in `docs/operations.md`.
@Suite("The likeliest misconfigurations", .timeLimit(.minutes(5)))
struct MisconfigurationTests {
    @Test(
        "A configuration file that cannot work is refused at the start with the member's name and the next step",
        arguments: [
            (#""nothing": 1, "#, "nothing", "Unknown setting. Known here: "),
            (
                #""sign_in": {"issuer": "https://id.example.com", "client_id": "a", "client_secret": "here", "redirect_uri": "a.b:/c"}, "#,
                "sign_in.client_secret", "the configuration contains no secrets"
            ),
            (
                #""client_certificates": {"form": "structured"}, "listen": {"address": "0.0.0.0"}, "#,
                "client_certificates", "could forge this field: set trusted_proxies"
            ),
            (
                #""resources": [{"path": "/a", "issuer": "https://id.example.com", "audience": "a", "binding": "mtls"}], "#,
                "resources[0].binding", "client_certificates"
            ),
            (
                #""resources": [{"path": "/metrics", "issuer": "https://id.example.com", "audience": "a"}], "#,
                "resources[0].path", "choose another path"
            ),
            (#""trusted_proxies": ["the proxy"], "#, "trusted_proxies[0]", "the proxy"),
        ]
    )
    func file(_ members: String, _ name: String, _ step: String) throws {
        let file = try TemporaryFile("backend.json")
        var text = ServiceFixture.text(members)
        if members.contains("\"listen\"") { text = text.replacing(#""listen": {"port": 0}, "#, with: "") }
        try text.write(toFile: file.path, atomically: true, encoding: .utf8)
        let error = #expect(throws: BackendConfigurationError.self) {
            try BackendConfiguration(contentsOf: file.path, environment: ["KEY": BackendConfigurationTests.key])
        }
        #expect(error?.member == name)
        #expect(error?.sentence.contains(step) == true, "\(error?.sentence ?? "")")
    }

    @Test("A malformed sealing key or an unset variable is refused at the start")
    func sealing() throws {
        let file = try TemporaryFile("backend.json")
        try ServiceFixture.text("").write(toFile: file.path, atomically: true, encoding: .utf8)
        for (environment, part) in [(["KEY": "short"], "openssl rand -base64 32"), ([:], "KEY is not set")] {
            let error = #expect(throws: BackendConfigurationError.self) {
                try BackendConfiguration(contentsOf: file.path, environment: environment)
            }
            #expect(error?.sentence.contains(part) == true)
        }
    }

    @Test("A wrong password, a missing database or missing tables end the start with the next step")
    func database() async throws {
        let database = try await PostgreSQLServer.common().database()
        func failure(_ name: String, _ password: String, _ more: String = "") async throws -> String {
            let store = """
                {"type": "postgresql", "host": "\(database.host)", "port": \(database.port), "user": "app",
                 "database": "\(name)", "password": {"environment": "PASSWORD"}, "security": "none"}
                """
            let file = try TemporaryFile("backend.json")
            let text = ServiceFixture.text(more).replacing(#"{"type": "memory"}"#, with: store)
            try text.write(toFile: file.path, atomically: true, encoding: .utf8)
            let configuration = try BackendConfiguration(
                contentsOf: file.path,
                environment: ["KEY": BackendConfigurationTests.key, "PASSWORD": password]
            )
            do {
                try await BackendServer.start(configuration, logger: ServiceFixture.quiet).stop()
                return ""
            } catch {
                return "\(error)"
            }
        }
        let right = PostgreSQLServer.password.reveal()
        let wrong = try await failure(database.database, "wrong")
        #expect(wrong.contains("28P01") && wrong.contains("Compare user, password and database"))
        #expect(try await failure("missing", right).contains("3D000"))
        let forgotten = try await failure(database.database, right, #""migrate": "by_command", "#)
        #expect(forgotten.contains("ostiary-backend migrate"))
    }

    /// The outcome of a sign-in that is set up wrongly.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let reason: String
        let status: Int
        var secret: String?
        /// The change of the configuration.
        var change: @Sendable (String) -> String = { $0 }
        /// The API's answer.
        var api = "200 OK"
        /// The path of the last request.
        var ask = "/auth/finish"
        var testDescription: String { name }

        static func all() -> [Case] {
            [
                Case(name: "client secret", reason: "token_invalid_client", status: 400, secret: "mistyped"),
                Case(
                    name: "issuer with another slash",
                    reason: "discovery_mismatch_issuer",
                    status: 503,
                    change: { text in
                        // The members of sign_in alone.
                        text.replacing(#/"sign_in": \{"issuer": "([^"]*)"/#) {
                            "\"sign_in\": {\"issuer\": \"\($0.1)/\""
                        }
                    },
                    ask: "/auth/start"
                ),
                Case(
                    name: "issuer that is not there",
                    reason: "discovery_unreachable",
                    status: 503,
                    change: {
                        $0.replacing(
                            #/"sign_in": \{"issuer": "[^"]*"/#,
                            with: #""sign_in": {"issuer": "http://127.0.0.1:9""#
                        )
                    },
                    ask: "/auth/start"
                ),
                Case(
                    name: "issuer with a certificate that is not trusted",
                    reason: "discovery_tls",
                    status: 503,
                    change: {
                        $0.replacing(#/"sign_in": \{"issuer": "http:/#, with: #""sign_in": {"issuer": "https:"#)
                    },
                    ask: "/auth/start"
                ),
                Case(name: "clock that is ten minutes off", reason: "proof_iat", status: 401, ask: "/auth/start late"),
                Case(
                    name: "origins of another name",
                    reason: "proof_htu",
                    status: 401,
                    change: {
                        $0.replacing(
                            #""origins": ["https://api.example.com"]"#,
                            with: #""origins": ["https://other.example.com"]"#
                        )
                    },
                    ask: "/auth/start"
                ),
                Case(
                    name: "API that is not there",
                    reason: "api_unreachable",
                    status: 502,
                    change: { $0.replacing(#/"to": "[^"]*"/#, with: #""to": "http://127.0.0.1:9""#) },
                    ask: "/orders"
                ),
                Case(
                    name: "API of another audience",
                    reason: "api_status_401",
                    status: 502,
                    api: "401 Unauthorized",
                    ask: "/orders"
                ),
                Case(
                    name: "API that redirects",
                    reason: "api_status_302",
                    status: 502,
                    api: "302 Found",
                    ask: "/orders"
                ),
                Case(
                    name: "limit for all clients as one",
                    reason: "limited",
                    status: 429,
                    change: {
                        $0.replacing(
                            #""client_id": "service","#,
                            with: #""client_id": "service", "starts_per_minute_and_sender": 1,"#
                        )
                    },
                    ask: "/auth/start twice"
                ),
            ]
        }
    }

    @Test("A misconfigured sign-in is logged in one line with its reason", arguments: Case.all())
    func signIn(_ wrong: Case) async throws {
        let book = LogBook()
        let status = wrong.api
        let world = try await SignInWorld(
            logger: book.logger,
            secret: wrong.secret,
            changing: .init(apply: wrong.change)
        ) { _ in
            SignInWorld.answer(status, "")
        }
        let answer: SignInWorld.Reply
        switch wrong.ask {
        case "/auth/finish": answer = try await world.finish()
        case "/orders": answer = try await world.ask(.GET, "/orders", session: try await world.signIn())
        case "/auth/start late": answer = try await world.ask(.POST, "/auth/start", at: .now - 600)
        case "/auth/start": answer = try await world.ask(.POST, "/auth/start")
        default:
            _ = try await world.ask(.POST, "/auth/start")
            answer = try await world.ask(.POST, "/auth/start")
        }
        #expect(answer.status == wrong.status)
        #expect(book.refusals(wrong.reason).count == 1, "\(book.text)")
        await world.stop()
    }

    @Test("A token with another audience or form is logged in one line with its reason")
    func resources() async throws {
        for (change, reason) in [
            ("\"audience\": \"other\"", "token_aud"), ("\"audience\": \"a\", \"tokens\": \"keycloak\"", "token_typ"),
        ] {
            let book = LogBook()
            let world = try await SignInWorld(
                logger: book.logger,
                changing: .init { $0.replacing(#/"audience": "[^"]*"/#, with: change) }
            )
            let bearer = [("authorization", "Bearer " + (try world.accessToken()))]
            #expect(try await world.ask(.GET, "/me", fields: bearer).status == 401)
            #expect(book.refusals(reason).count == 1, "\(book.text)")
            await world.stop()
        }
    }

    @Test("A session without a refresh token is logged with the two settings that may bring one")
    func notRenewable() async throws {
        let book = LogBook()
        let world = try await SignInWorld(scopes: ["openid"], logger: book.logger)
        _ = try await world.signIn()
        let line = try #require(book.lines.first { $0.message.contains("without a refresh token") })
        #expect(line.level == .warning && line.metadata["fix"]?.contains("offline_access") == true)
        await world.stop()
    }

    @Test("A service that assumes no proxy warns about client_address at the start")
    func proxy() async throws {
        let book = LogBook()
        let service = try await ServiceFixture("", logger: book.logger)
        #expect(book.lines.contains { $0.level == .warning && $0.message.contains("client_address") })
        await service.running.stop()
    }

    @Test("A port in use or a certificate of another key ends the start")
    func start() async throws {
        let service = try await ServiceFixture()
        let port = service.running.port
        let file = try TemporaryFile("backend.json")
        try ServiceFixture.text("").replacing(#""port": 0"#, with: #""port": \#(port)"#)
            .write(toFile: file.path, atomically: true, encoding: .utf8)
        let configuration = try BackendConfiguration(
            contentsOf: file.path,
            environment: ["KEY": BackendConfigurationTests.key]
        )
        let taken = await #expect(throws: BackendFailure.self) {
            _ = try await BackendServer.start(configuration, logger: ServiceFixture.quiet)
        }
        #expect(taken?.description.contains("Cannot listen on 127.0.0.1 port \(port): ") == true)
        // Each of the two ports is named alone, whichever of them is taken.
        let free = try FreePort.find()
        for (world, admin) in [(port, free), (free, port)] {
            let text = ServiceFixture.text(#""admin": {"address": "127.0.0.1", "port": \#(admin)}, "#)
            try text.replacing(#""port": 0"#, with: #""port": \#(world)"#)
                .write(toFile: file.path, atomically: true, encoding: .utf8)
            let both = try BackendConfiguration(
                contentsOf: file.path,
                environment: ["KEY": BackendConfigurationTests.key]
            )
            let failure = await #expect(throws: BackendFailure.self) {
                _ = try await BackendServer.start(both, logger: ServiceFixture.quiet)
            }
            #expect(failure?.description.contains("Cannot listen on 127.0.0.1 port \(port): ") == true)
            #expect(failure?.description.contains("\(free)") == false)
        }
        await service.running.stop()
        await #expect(throws: BackendFailure.self) {
            _ = try await ServiceFixture(#""tls": {"certificate_chain": "/nowhere", "private_key": "/nowhere"}, "#)
        }
    }
}
