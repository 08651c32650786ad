import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The accounts that users have signed in with in one browser, the last used one first.
struct BrowserAccounts: Sendable {
    /// One account.
    struct Account: Sendable {
        /// The name of its buttons: letters that spell no word, so that a program does not take them for one.
        var id: String
        var subject: String
        /// The key of the login's record; there is no such record any more when the user is signed out.
        var login: String
    }

    /// The largest number of accounts; the one that was not used for the longest time is forgotten first.
    static let maximum = 8
    /// The time after which a browser's accounts are forgotten when no user signs in.
    static let lifetime: Duration = .seconds(30 * 86_400)

    var accounts: [Account] = []

    /// The account of a user; `nil` for none.
    subscript(subject: String) -> Account? { accounts.first { $0.subject.utf8.elementsEqual(subject.utf8) } }

    /// The account with an identifier; `nil` for none.
    func account(withID id: String) -> Account? { accounts.first { $0.id.utf8.elementsEqual(id.utf8) } }

    /// Puts an account first, in place of the user's former one.
    mutating func use(_ account: Account) {
        accounts.removeAll { $0.subject.utf8.elementsEqual(account.subject.utf8) }
        accounts.insert(account, at: 0)
    }

    /// Removes a user's account.
    mutating func forget(_ subject: String) { accounts.removeAll { $0.subject.utf8.elementsEqual(subject.utf8) } }

    func record(key: String, expires: Date) -> ProviderRecord {
        let list = accounts.map { account -> JSONValue in
            ["id": .string(account.id), "sub": .string(account.subject), "login": .string(account.login)]
        }
        return ProviderRecord(kind: .browserAccounts, key: key, value: ["accounts": .array(list)], expires: expires)
    }

    init() {}

    init(_ record: ProviderRecord) {
        accounts = (record.value["accounts"]?.array ?? []).compactMap { element in
            guard let object = element.object, let id = object["id"]?.string, let subject = object["sub"]?.string,
                let login = object["login"]?.string
            else { return nil }
            return Account(id: id, subject: subject, login: login)
        }
    }
}
