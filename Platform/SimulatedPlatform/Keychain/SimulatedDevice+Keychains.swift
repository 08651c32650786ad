/// A Mac's two keychains behind one set of calls. (Security, OSX/libsecurity_keychain/lib/SecItem.cpp)
extension SimulatedDevice {
    /// The answer of one keychain.
    struct KeychainAnswer {
        var status: Int32
        var result: AnyObject?
    }

    /// Asks every keychain that a query is about, and makes one answer of theirs (SecItemMergeResults).
    func askKeychains(
        of query: KeychainQuery,
        _ state: State,
        _ body: (KeychainQuery) throws(KeychainQuery.Malformed) -> KeychainAnswer
    ) -> KeychainAnswer {
        func ask(onFile: Bool) -> KeychainAnswer {
            do throws(KeychainQuery.Malformed) {
                return try body(try query.run(onFile: onFile, state))
            } catch {
                return KeychainAnswer(status: error.status)
            }
        }
        let modern = query.targets.dataProtection ? ask(onFile: false) : nil
        let file = query.targets.file ? ask(onFile: true) : nil
        guard let modern else { return file ?? KeychainAnswer(status: KeychainStatus.param) }
        guard let file else { return modern }
        // A tool without the entitlement knows the file alone; so does a query that fails on the other one.
        guard modern.status == KeychainStatus.success else { return file }
        guard file.status == KeychainStatus.success else { return modern }
        if let some = modern.result as? [Any], let more = file.result as? [Any] {
            return KeychainAnswer(status: KeychainStatus.success, result: (some + more) as AnyObject)
        }
        return KeychainAnswer(status: KeychainStatus.success, result: modern.result ?? file.result)
    }
}
