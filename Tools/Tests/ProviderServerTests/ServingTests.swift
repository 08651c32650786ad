import Foundation
import Logging
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Synchronization
import Testing

@Suite("Serving the provider over HTTP")
struct ServingTests {
    @Test("The metadata names the bound address as the issuer")
    func discovery() async throws {
        try await Fixtures.withProvider { running in
            let answer = try await RawHTTP.send(.GET, "\(running.issuer)/.well-known/openid-configuration")
            #expect(answer.status == 200)
            #expect(running.issuer.description == "http://127.0.0.1:\(running.port)")
            #expect(try SignIn.member("issuer", of: answer) == running.issuer.description)
        }
    }

    @Test("A user signs in with forms alone, and the code is redeemed")
    func signIn() async throws {
        try await Fixtures.withProvider { running in
            var browser = Browser(running.issuer)
            let code = try await SignIn.code(&browser)
            let tokens = try await SignIn.redeem(code, at: running.issuer)
            #expect(tokens.status == 200)
            #expect(try !SignIn.member("id_token", of: tokens).isEmpty)
        }
    }

    @Test(
        "HEAD returns the header fields and the length of GET without a body",
        arguments: ["/jwks", "/style.css", "/nothing"]
    )
    func head(path: String) async throws {
        try await Fixtures.withProvider { running in
            let get = try await RawHTTP.send(.GET, "\(running.issuer)\(path)")
            let head = try await RawHTTP.send(.HEAD, "\(running.issuer)\(path)")
            #expect(head.status == get.status)
            #expect(head.fields["content-type"] == get.fields["content-type"])
            #expect(head.fields["content-length"] == ["\(get.text.utf8.count)"])
            #expect(head.fields["transfer-encoding"].isEmpty)
            #expect(head.text.isEmpty)
        }
    }

    @Test("HEAD of the authorization endpoint is rejected, since it would use up the user's interaction")
    func headOfAuthorization() async throws {
        try await Fixtures.withProvider { running in
            let answer = try await RawHTTP.send(.HEAD, running.issuer.description + SignIn.location())
            #expect(answer.status == 405)
        }
    }

    @Test("An unknown path gets 404")
    func notFound() async throws {
        try await Fixtures.withProvider { running in
            let answer = try await RawHTTP.send(.GET, "\(running.issuer)/nothing")
            #expect(answer.status == 404)
        }
    }

    @Test("A body of more than 64 KiB is rejected by the provider", arguments: [65_537, 1_000_000, 3_000_000])
    func tooLarge(count: Int) async throws {
        try await Fixtures.withProvider { running in
            let body = String(repeating: "a", count: count)
            let answer = try await RawHTTP.send(.POST, "\(running.issuer)/token", body: body)
            #expect(answer.status == 413)
        }
    }

    @Test("A body of 64 KiB is read by the provider")
    func largest() async throws {
        try await Fixtures.withProvider { running in
            let body = String(repeating: "a", count: 65_536)
            let answer = try await RawHTTP.send(.POST, "\(running.issuer)/token", body: body)
            #expect(answer.status != 413)
        }
    }

    @Test("A request head over the limit is rejected")
    func largeHeader() async throws {
        try await Fixtures.withProvider { running in
            let field = String(repeating: "a", count: 20_000)
            let answer = try await RawHTTP.send(.GET, "\(running.issuer)/jwks", fields: ["x-large": field])
            #expect(answer.status == 400)
        }
    }

    @Test("A request for another host name is rejected, so that DNS rebinding fails")
    func otherHost() async throws {
        try await Fixtures.withProvider { running in
            let url = "\(running.issuer)/jwks"
            let foreign = try await RawHTTP.send(.GET, url, fields: ["host": "evil.example:\(running.port)"])
            #expect(foreign.status == 421)
            #expect(foreign.text.contains("Its issuer is \(running.issuer)."))
            let own = try await RawHTTP.send(.GET, url, fields: ["host": "localhost:\(running.port)"])
            #expect(own.status == 200)
        }
    }

    @Test("Behind a proxy a request for the issuer's own host name is accepted")
    func proxiedHost() async throws {
        let issuer = try Issuer("https://id.example.com/tenant")
        try await Fixtures.withProvider(issuer: issuer) { running in
            let base = "http://127.0.0.1:\(running.port)"
            let path = "\(base)/tenant/.well-known/openid-configuration"
            let answer = try await RawHTTP.send(.GET, path, fields: ["host": "id.example.com"])
            #expect(try SignIn.member("issuer", of: answer) == issuer.description)
            #expect(try await RawHTTP.send(.GET, "\(base)/tenant/style.css").status == 200)
            let page = try await RawHTTP.send(.GET, "\(base)/tenant/authorize")
            #expect(page.text.contains("href=\"/tenant/style.css\""))
        }
    }

    @Test("A connection is closed after a request for another protocol, so that the next request is answered")
    func upgrade() async throws {
        try await Fixtures.withProvider { running in
            for _ in 1...2 {
                let fields: HTTPHeaders = ["Connection": "Upgrade", "Upgrade": "websocket"]
                let answer = try await RawHTTP.send(.GET, "\(running.issuer)/jwks", fields: fields)
                #expect(answer.status == 200 && answer.fields["connection"] == ["close"])
            }
            #expect(try await RawHTTP.send(.GET, "\(running.issuer)/jwks").status == 200)
        }
    }

    @Test("A sign-in of an unknown client gets the error page at once, with the known clients")
    func unknownClient() async throws {
        try await Fixtures.withProvider { running in
            let answer = try await RawHTTP.send(.GET, "\(running.issuer)\(SignIn.location(["client_id": "ap"]))")
            #expect(answer.status == 400)
            #expect(answer.text.contains("There is no client with this client_id."))
            #expect(answer.text.contains("Known clients: app, tv."))
        }
    }

    @Test("Fifty concurrent requests all get a response")
    func concurrent() async throws {
        try await Fixtures.withProvider { running in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<50 {
                    let path = number.isMultiple(of: 2) ? "/jwks" : SignIn.location(["state": "\(number)"])
                    group.addTask { try await RawHTTP.send(.GET, running.issuer.description + path).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 50))
        }
    }

    @Test("A stopped server has released its port")
    func stop() async throws {
        let port = try await Fixtures.withProvider { running in
            _ = try await RawHTTP.send(.GET, "\(running.issuer)/jwks")
            return running.port
        }
        await #expect(throws: (any Error).self) { try await RawHTTP.send(.GET, "http://127.0.0.1:\(port)/jwks") }
        try await Fixtures.withProvider(port: port) { running in #expect(running.port == port) }
    }

    @Test("Stopping twice, and waiting for the end, both return")
    func stopTwice() async throws {
        try await Fixtures.withProvider { running in
            await running.stop()
            await running.stop()
            try await running.untilStopped()
        }
    }

    @Test("A server's port in use is named")
    func portTaken() async throws {
        try await Fixtures.withProvider { running in
            do {
                try await Fixtures.withProvider(port: running.port) { _ in }
                Issue.record("two servers on one port")
            } catch let error as ProviderServerError {
                let address = "127.0.0.1:\(running.port)"
                #expect(error == .cannotListen(on: address, reason: "Address already in use"))
                #expect(error.description.hasPrefix("\(address) is already in use. Stop the other program"))
            }
        }
    }

    @Test("An address of another machine is refused with the system's cause and the mend")
    func foreignAddress() async throws {
        // TEST-NET-1, which no machine has (RFC 5737 section 3).
        let address = ProviderAddress.allowingOtherMachines(host: "192.0.2.1", port: 0)
        let error = await #expect(throws: ProviderServerError.self) {
            try await ProviderServer.start(at: address, issuer: try Issuer("https://id.example.com")) {
                try await Provider.forPeople(try Fixtures.configuration($0))
            }
        }
        #expect(error == .cannotListen(on: "192.0.2.1:0", reason: "Cannot assign requested address"))
        #expect(error?.description.hasSuffix("--host 0.0.0.0 is every one.") == true)
    }

    @Test("A failure to listen has the cause, and a mend where there is one")
    func causes() {
        func text(_ reason: String) -> String {
            ProviderServerError.cannotListen(on: "a:1", reason: reason).description
        }
        #expect(text("Permission denied").hasSuffix("Permission denied. Choose a port above 1023: --port 0 takes any."))
        #expect(text("Too many open files") == "Cannot listen on a:1: Too many open files.")
    }

    @Test("The provider listens for other machines only with a configured issuer")
    func otherMachines() async throws {
        await #expect(throws: ProviderServerError.issuerRequired) {
            try await ProviderServer.start(at: .allowingOtherMachines(host: "127.0.0.1", port: 0)) {
                try await Provider.forPeople(try Fixtures.configuration($0))
            }
        }
    }

    @Test(
        "A certificate file that cannot be used is named with the cause",
        arguments: [
            ("/nonexistent.pem", "No such file or directory"), ("/", "Is a directory"),
            ("/dev/null", "it has no certificate in PEM"),
        ]
    )
    func noCertificate(path: String, cause: String) async throws {
        let tls = ProviderTLS(certificateFile: path, keyFile: path)
        do {
            _ = try await ProviderServer.start(tls: tls) {
                try await Provider.forPeople(try Fixtures.configuration($0))
            }
            Issue.record("a server without a certificate")
        } catch let error as ProviderServerError {
            #expect(error.description == "\(path) cannot be used: \(cause).")
        }
    }

    @Test("A provider that cannot be made does not listen")
    func noProvider() async throws {
        struct Failure: Error {}
        let port = Mutex(0)
        await #expect(throws: Failure.self) {
            try await ProviderServer.start { issuer in
                port.withLock { $0 = issuer.url.port ?? 0 }
                throw Failure()
            }
        }
        await #expect(throws: (any Error).self) {
            try await RawHTTP.send(.GET, "http://127.0.0.1:\(port.withLock { $0 })/jwks")
        }
    }

    @Test("Starting in a cancelled task leaves no server, and does not wait")
    func cancelled() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await ProviderServer.start { try await Provider.forPeople(try Fixtures.configuration($0)) }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A log line has method, path and status, and no query, cookie or body")
    func logLines() async throws {
        let lines = LogLines()
        let logger = Logger(label: "test") { _ in lines.handler }
        try await Fixtures.withProvider(logger: logger) { running in
            _ = try await RawHTTP.send(
                .POST,
                "\(running.issuer)/token?query-secret",
                fields: ["cookie": "a=cookie-secret", "content-type": "application/x-www-form-urlencoded"],
                body: "code=body-secret"
            )
        }
        let text = lines.text
        #expect(text.contains("method=POST path=/token status=4"))
        #expect(!text.contains("secret"))
    }
}
