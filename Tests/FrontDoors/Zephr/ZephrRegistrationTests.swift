import Foundation
import HTTPTypes
import Ostiary
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import OstiaryZephr
import Testing

@Suite("Zephr: registration", .timeLimit(.minutes(5)))
struct ZephrRegistrationTests {
    /// The registration that grace, a new user, has to finish.
    private func partial(_ world: ZephrWorld, as name: String = "grace") async throws -> PartialRegistration {
        try #require(try await world.zephr(as: name).signIn(with: .google).registration)
    }

    @Test(
        "A new reader is registered with the missing attributes, and signed in",
        .covers(.zephr, rows: 49)
    )
    func completes() async throws {
        let world = try ZephrWorld()
        let registration = try await partial(world)
        #expect(registration.emailAddress == "grace+news@reader.example")
        #expect(try await world.stored() == nil)
        let session = try await registration.complete(attributes: ["first_name": "Grace", "topics": ["science"]])
        #expect(try await session.account().emailAddress == "grace+news@reader.example")
        #expect(try await session.profile() == ["first_name": "Grace", "topics": ["science"]])
        #expect(try await world.stored()?["session"] == .string(session.id.reveal()))
    }

    @Test("The state key is sent once, in the body, with empty identifiers", .covers(.zephr, rows: 49))
    func body() async throws {
        let world = try ZephrWorld()
        _ = try await partial(world).complete(attributes: ["first_name": "Grace"])
        let request = try #require(world.script.requests(to: "/blaize/register").first)
        let json = try JSONObject(parsing: request.body ?? [])
        #expect(json["identifiers"] == [:])
        #expect(json["validators"]?.object?.names == ["token_exchange"])
        #expect(json["attributes"] == ["first_name": "Grace"])
        #expect(request.url.query() == nil)
    }

    @Test("A registration rejected for a missing attribute can be completed", .covers(.zephr, rows: 49))
    func missingAttribute() async throws {
        let world = try ZephrWorld()
        let registration = try await partial(world)
        #expect(
            await thrownError { () throws(ZephrError) in try await registration.complete(attributes: [:]) }
                == ZephrError(.badRequest)
        )
        _ = try await registration.complete(attributes: ["first_name": "Grace"])
    }

    @Test("A registration that the network lost can be retried", .covers(.zephr, rows: 49))
    func lostRequest() async throws {
        let world = try ZephrWorld()
        let registration = try await partial(world)
        world.script.lose("/blaize/register")
        #expect(
            await thrownError { () throws(ZephrError) in
                try await registration.complete(attributes: ["first_name": "Grace"])
            } == ZephrError(.transport(.unreachable))
        )
        world.script.restore("/blaize/register")
        _ = try await registration.complete(attributes: ["first_name": "Grace"])
    }

    @Test("A registration is completed once", .covers(.zephr, rows: 49))
    func once() async throws {
        let world = try ZephrWorld()
        let registration = try await partial(world)
        _ = try await registration.complete(attributes: ["first_name": "Grace"])
        #expect(
            await thrownError { () throws(ZephrError) in
                try await registration.complete(attributes: ["first_name": "Grace"])
            } == ZephrError(.registrationEnded)
        )
        #expect(world.script.requests(to: "/blaize/register").count == 1)
    }

    @Test(
        "A second registration of one reader fails as userAlreadyExists, and its key is spent",
        .covers(.zephr, rows: 49)
    )
    func conflict() async throws {
        let world = try ZephrWorld()
        let first = try await partial(world)
        let second = try await partial(world)
        _ = try await first.complete(attributes: ["first_name": "Grace"])
        let twice = ["first_name": "Grace"] as JSONObject
        #expect(
            await thrownError { () throws(ZephrError) in try await second.complete(attributes: twice) }
                == ZephrError(.userAlreadyExists)
        )
        #expect(
            await thrownError { () throws(ZephrError) in try await second.complete(attributes: twice) }
                == ZephrError(.registrationEnded)
        )
    }

    @Test("A state key older than ten minutes is rejected", .covers(.zephr, rows: 49))
    func tooOld() async throws {
        let world = try ZephrWorld()
        let registration = try await partial(world)
        world.clock.advance(by: .seconds(601))
        #expect(
            await thrownError { () throws(ZephrError) in
                try await registration.complete(attributes: ["first_name": "Grace"])
            } == ZephrError(.badRequest)
        )
    }

    @Test("A registration with a blocked email domain fails as emailDomainRefused", .covers(.zephr, rows: 49))
    func blockedDomain() async throws {
        let world = try ZephrWorld()
        let registration = try await partial(world, as: "blocked")
        #expect(
            await thrownError { () throws(ZephrError) in
                try await registration.complete(attributes: ["first_name": "S"])
            } == ZephrError(.emailDomainRefused)
        )
    }

    @Test(
        "A registration for another account than the expected one fails as otherAccount",
        .covers(.zephr, rows: 5, 49, cites: "Z-2")
    )
    func expectation() async throws {
        let world = try ZephrWorld()
        let outcome = try await world.zephr(as: "grace").signIn(with: .google, expecting: "ada@reader.example")
        let registration = try #require(outcome.registration)
        #expect(
            await thrownError { () throws(ZephrError) in
                try await registration.complete(attributes: ["first_name": "Grace"])
            } == ZephrError(.otherAccount)
        )
        #expect(try await world.stored() == nil)
    }

    @Test("A site without required attributes registers the reader at once", .covers(.zephr, rows: 20))
    func nothingRequired() async throws {
        let world = try ZephrWorld { $0.requiredAttributes = [] }
        #expect(try await world.zephr(as: "grace").signIn(with: .google).session != nil)
    }

    @Test(
        "In a redirect %2B is a plus sign, and a bare plus is a space",
        .covers(.zephr, rows: 49)
    )
    func plusSigns() async throws {
        let world = try ZephrWorld()
        for (text, address) in [("a%2Bb%40c.example", "a+b@c.example"), ("a+b%40c.example", "a b@c.example")] {
            let query = "action=register&status=partial&state_key=1&identifier=\(text)"
            let outcome = try await world.zephr(userAgent: ZephrWorld.answering(query)).signIn(with: .google)
            #expect(outcome.registration?.emailAddress == address)
        }
    }

    @Test("A registration with a password signs the reader in", .covers(.zephr, rows: 50, cites: "Z-9"))
    func password() async throws {
        let world = try ZephrWorld()
        let session = try await world.zephr().passwordAccounts.register(
            emailAddress: "new@reader.example",
            password: Secret("long enough"),
            attributes: ["first_name": "New"]
        )
        #expect(try await session.account().emailAddress == "new@reader.example")
        #expect(session.expiry == world.clock.now.addingTimeInterval(30 * 86_400))
    }

    @Test(
        "A rejected registration reports its reason",
        .covers(.zephr, rows: 50),
        arguments: [
            (
                "ada@reader.example", "long enough", ["first_name": "A"] as JSONObject,
                ZephrError.Reason.userAlreadyExists
            ),
            ("ADA@reader.example", "long enough", ["first_name": "A"], .userAlreadyExists),
            ("x@blocked.example", "long enough", ["first_name": "A"], .emailDomainRefused),
            ("x@reader.example", "short", ["first_name": "A"], .badRequest),
            ("x@reader.example", "long enough", [:], .badRequest),
        ] as [(String, String, JSONObject, ZephrError.Reason)]
    )
    func refusedRegistration(
        _ emailAddress: String,
        _ password: String,
        _ attributes: JSONObject,
        _ reason: ZephrError.Reason
    ) async throws {
        let world = try ZephrWorld()
        let accounts = try world.zephr().passwordAccounts
        let error = await thrownError { () throws(ZephrError) in
            try await accounts.register(
                emailAddress: emailAddress,
                password: Secret(password),
                attributes: attributes
            )
        }
        #expect(error == ZephrError(reason))
        #expect(try await world.stored() == nil)
    }

    @Test("A sign-in with a password stores the session", .covers(.zephr, rows: 50, 53))
    func signIn() async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        #expect(try await session.account().emailAddress == "ada@reader.example")
        #expect(try await world.stored()?["session"] == .string(session.id.reveal()))
    }

    @Test(
        "A rejected sign-in reports its reason, and an unconfirmed address leads to a page",
        .covers(.zephr, rows: 50),
        arguments: [
            ("ada@reader.example", "wrong password", ZephrError.Reason.wrongPassword),
            ("nobody@reader.example", ZephrWorld.password, .userNotFound),
            ("unverified@reader.example", ZephrWorld.password, .emailVerificationRequired),
        ]
    )
    func refusedSignIn(_ emailAddress: String, _ password: String, _ reason: ZephrError.Reason) async throws {
        let world = try ZephrWorld()
        let accounts = try world.zephr().passwordAccounts
        let error = await thrownError { () throws(ZephrError) in
            try await accounts.signIn(emailAddress: emailAddress, password: Secret(password))
        }
        #expect(error == ZephrError(reason))
    }

    @Test(
        "Every status of the sign-in endpoint has its reason",
        .covers(.zephr, rows: 50),
        arguments: [
            (400, "application/json", ZephrError.Reason.badRequest), (401, "application/json", .wrongPassword),
            (401, "text/html", .server(status: 401)), (404, "application/json", .userNotFound),
            (429, "application/json", .rateLimited), (500, "text/html", .server(status: 500)),
            (503, "application/json", .server(status: 503)), (403, "application/json", .server(status: 403)),
        ]
    )
    func statuses(_ status: Int, _ mediaType: String, _ reason: ZephrError.Reason) async throws {
        let world = try ZephrWorld()
        world.script.answer("/blaize/login", status, "{}", mediaType: mediaType, fields: [.retryAfter: "7"])
        let accounts = try world.zephr().passwordAccounts
        let error = await thrownError { () throws(ZephrError) in
            try await accounts.signIn(emailAddress: "ada@reader.example", password: Secret("x"))
        }
        #expect(error == ZephrError(reason, retryAfter: .seconds(7)))
    }

    @Test(
        "A password is sent in the body alone, and appears in no description or event",
        .covers(.zephr, rows: 50, 61, cites: "Z-9")
    )
    func passwordIsContained() async throws {
        let world = try ZephrWorld()
        let heard = Recorded<String>()
        let accounts = try world.zephr(events: { heard.add("\($0)") }).passwordAccounts
        _ = await thrownError { () throws(ZephrError) in
            try await accounts.signIn(emailAddress: "ada@reader.example", password: Secret("hush hush"))
        }
        let request = try #require(world.script.requests.first)
        #expect(String(decoding: request.body ?? [], as: UTF8.self).contains("hush hush"))
        var dumped = ""
        dump(accounts, to: &dumped)
        dump(request, to: &dumped)
        for text in heard.values + [dumped, "\(request)", request.url.absoluteString] {
            #expect(!text.contains("hush hush"))
        }
        #expect(world.store.calls(of: .write) == 0)
    }
}
