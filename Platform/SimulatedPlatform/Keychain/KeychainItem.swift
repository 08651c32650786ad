import Foundation

/// A generic password as the simulated keychain keeps it.
public struct KeychainItem: Sendable {
    /// Whether it is in the login keychain of a Mac.
    public var fileBased: Bool
    public var group: String
    public var service: String
    public var account: String
    public var synchronizable: Bool
    public var accessible: KeychainAccessible
    public var accessControl: SimulatedAccessControl?
    /// The faces or fingers that were enrolled when it was written.
    public var biometryGeneration: Int
    public var label: String?
    public var generic: Data?
    public var data: Data
    public var created: Date
    public var modified: Date

    /// Whether both have the same primary key; text is compared by its code points, as in the real database.
    func isSame(_ other: KeychainItem) -> Bool {
        fileBased == other.fileBased && group.isSameText(other.group) && service.isSameText(other.service)
            && account.isSameText(other.account) && synchronizable == other.synchronizable
    }
}

extension String {
    func isSameText(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
