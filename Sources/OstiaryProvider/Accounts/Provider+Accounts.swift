import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The accounts of a browser whose users still exist; none where a browser has one login at a time.
    func accounts(of request: ProviderRequest) async throws -> BrowserAccounts {
        guard configuration.accounts == .several, let key = accountsKey(of: request),
            let record = try await storage.record(.browserAccounts, key), record.expires.map({ $0 > now }) ?? true
        else { return BrowserAccounts() }
        var accounts = BrowserAccounts(record)
        accounts.accounts.removeAll { user(subject: $0.subject) == nil }
        return accounts
    }

    /// The login of an account; `nil` when the user is signed out.
    func login(of account: BrowserAccounts.Account) async throws -> LoginSession? {
        guard let login = try await storedLogin(account.login), login.subject.utf8.elementsEqual(account.subject.utf8)
        else { return nil }
        return login
    }

    /// The login with an identifier, if it is of this browser; `nil` for any other.
    func login(_ id: String?, of request: ProviderRequest) async throws -> LoginSession? {
        guard let id else { return nil }
        if let current = try await currentLogin(of: request), current.id == id { return current }
        for account in try await accounts(of: request).accounts {
            if let login = try await login(of: account), login.id == id { return login }
        }
        return nil
    }

    /// Keeps a new login of this browser, and returns the cookie.
    ///
    /// The accounts are kept under a new secret: a cookie that an attacker has planted opens no login.
    func keep(_ record: ProviderRecord, of user: ProviderUser, _ request: ProviderRequest) async throws -> Cookie {
        var accounts = try await accounts(of: request)
        let id = accounts[user.subject]?.id ?? random.characters(16, of: Self.accountLetters)
        accounts.use(BrowserAccounts.Account(id: id, subject: user.subject, login: record.key))
        while accounts.accounts.count > BrowserAccounts.maximum {
            let last = accounts.accounts.removeLast()
            if let login = try await login(of: last) { _ = try await endLogin(login.id, of: login.subject) }
        }
        let secret = random.secret()
        let expires = now.addingTimeInterval(BrowserAccounts.lifetime.inSeconds)
        let new = accounts.record(key: SecretDigest(secret).text, expires: expires)
        try await storage.put([record, new])
        if let key = accountsKey(of: request) { try await storage.remove(.key(.browserAccounts, key)) }
        return cookies.accounts(secret)
    }

    /// Makes an account the last used one of its browser.
    func use(_ account: BrowserAccounts.Account, _ request: ProviderRequest) async throws {
        var accounts = try await accounts(of: request)
        accounts.use(account)
        try await replace(accounts, request)
    }

    /// Ends the login of an account, and removes the account from its browser.
    func forget(_ account: BrowserAccounts.Account, _ request: ProviderRequest) async throws {
        if let login = try await login(of: account) { _ = try await endLogin(login.id, of: login.subject) }
        var accounts = try await accounts(of: request)
        accounts.forget(account.subject)
        try await replace(accounts, request)
    }

    private func replace(_ accounts: BrowserAccounts, _ request: ProviderRequest) async throws {
        guard let key = accountsKey(of: request) else { return }
        let expires = now.addingTimeInterval(BrowserAccounts.lifetime.inSeconds)
        try await storage.put(accounts.record(key: key, expires: expires))
    }

    private func accountsKey(of request: ProviderRequest) -> String? {
        request.cookie(cookies.accounts).map { SecretDigest($0).text }
    }

    private static let accountLetters: [Character] = Array("bcdfghjkmpqrtvwxz")
}
