import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

/// A device that waits for a user.
struct Device {
    let world: World
    let response: JSONObject
    let code: String
    let userCode: String

    init(
        at world: World,
        _ change: (inout Parameters) -> Void = { _ in }
    ) async throws {
        var form = Parameters([.clientID: "tv", .scope: "openid profile offline_access"])
        change(&form)
        self.world = world
        response = try #require(await world.post("/device_authorization", form).json)
        code = try #require(response["device_code"]?.string)
        userCode = try #require(response["user_code"]?.string)
    }

    func poll(_ change: (inout Parameters) -> Void = { _ in }) async -> ProviderResponse {
        var form = Parameters([
            .grantType: "urn:ietf:params:oauth:grant-type:device_code", .deviceCode: code, .clientID: "tv",
        ])
        change(&form)
        return await world.post("/token", form)
    }

    /// Types the code.
    func enter(_ typed: String? = nil, in browser: Browser) async throws -> ProviderResponse {
        let page = try #require(await browser.send(.get, "/device").userCodePage)
        return await browser.submit(page.form, [.userCode: typed ?? userCode])
    }

    /// Types the code and signs in; the page that asks.
    func consentPage(in browser: Browser) async throws -> DeviceConsentPage {
        let login = try #require(try await enter(in: browser).loginPage)
        let next = await browser.submit(login.form, ["username": "alice", "password": "correct horse"])
        return try #require(try await browser.follow(next).deviceConsentPage)
    }

    @discardableResult
    func decide(_ decision: PageInput.Decision, in browser: Browser? = nil) async throws -> ProviderResponse {
        let browser = browser ?? world.browser()
        return await browser.submit(try await consentPage(in: browser).form, [:], decision)
    }
}
