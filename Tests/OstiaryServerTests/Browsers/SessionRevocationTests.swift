import Foundation
import HTTPTypes
import OstiaryOAuth
import OstiaryTesting
import Testing

@testable import OstiaryServer

@Suite("The revocation of an ended session's refresh token", .timeLimit(.minutes(5)))
struct SessionRevocationTests {
    private static let own: HTTPFields = [.origin: "https://app.example.com"]

    @Test("A failed revocation is tried three times in six seconds, and the sign-out does not wait for it")
    func notRevoked() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.network.fail("/revoke")
        world.network.hold("/revoke")
        let began = world.clock.now
        #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
        #expect(world.events.all.isEmpty)
        world.network.release()
        while world.events.all.isEmpty { await Task.yield() }
        #expect(world.network.count("/revoke") == 3 && world.events.all == [.notRevoked])
        #expect(world.clock.now.timeIntervalSince(began) == 6)
    }

    @Test("A terminating process waits for a running revocation, and not for another attempt")
    func settling() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.network.fail("/revoke")
        world.network.hold("/revoke")
        #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
        let settled = Task { await world.sessions.settle() }
        while !world.sessions.flights.isSettling { await Task.yield() }
        world.network.release()
        await settled.value
        #expect(world.network.count("/revoke") == 1 && world.events.all == [.notRevoked])
    }

    @Test("Sessions that end together are revoked four at a time")
    func bounded() async throws {
        let world = try BrowserWorld()
        let browsers = (0..<6).map { _ in TestBrowser(world) }
        for browser in browsers { try await browser.signIn() }
        world.network.hold("/revoke")
        #expect(await browsers[0].send(world.web.list, .delete, "/", Self.own).status == .noContent)
        while world.network.count("/revoke") < 4 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(world.network.count("/revoke") == 4)
        world.network.release()
        await world.sessions.settle()
        #expect(world.network.count("/revoke") == 6 && world.events.all.isEmpty)
    }

    @Test("A revocation is not retried when Retry-After is more than half a minute")
    func retryAfter() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.network.script(
            "/revoke",
            EndpointResponse(status: .serviceUnavailable, fields: [.retryAfter: "120"])
        )
        #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
        while world.events.all.isEmpty { await Task.yield() }
        #expect(world.network.count("/revoke") == 1 && world.events.all == [.notRevoked])
    }
}
