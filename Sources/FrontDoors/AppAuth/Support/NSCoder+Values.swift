import Foundation
import OstiaryJOSE

/// Values in an archive, under the keys that AppAuth's archives have.
extension NSCoder {
    /// An object of a type; `nil` for none, and for one of another type.
    ///
    /// All classes of an archive are permitted at each place: Foundation on Linux stops the process at a class that is
    /// not.
    func object<Object>(_ key: String) -> Object? {
        guard containsValue(forKey: key) else { return nil }
        return decodeObject(of: ArchiveClasses.permitted, forKey: key) as? Object
    }

    func text(_ key: String) -> String? { object(key) }

    func url(_ key: String) -> URL? { object(key) }

    func date(_ key: String) -> Date? { object(key) }

    func texts(_ key: String) -> [String]? { object(key) }

    func urls(_ key: String) -> [URL]? { object(key) }

    func pairs(_ key: String) -> [String: String]? { object(key) }

    func json(_ key: String) -> JSONObject? {
        let members: [String: Any]? = object(key)
        return members.flatMap { JSONObject(foundation: $0) }
    }

    func set(_ text: String?, _ key: String) { encode(text.map { NSString(string: $0) }, forKey: key) }

    func set(_ url: URL?, _ key: String) { encode(url.flatMap { NSURL(string: $0.absoluteString) }, forKey: key) }

    func set(_ date: Date?, _ key: String) {
        encode(
            date.map { NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) },
            forKey: key
        )
    }

    func set(_ texts: [String]?, _ key: String) {
        encode(texts.map { NSArray(array: $0.map { NSString(string: $0) }) }, forKey: key)
    }

    func set(_ urls: [URL], _ key: String) {
        encode(NSArray(array: urls.compactMap { NSURL(string: $0.absoluteString) }), forKey: key)
    }

    func set(_ pairs: [String: String]?, _ key: String) {
        encode(pairs.map { NSDictionary(dictionary: $0.mapValues { NSString(string: $0) }) }, forKey: key)
    }

    func set(_ object: JSONObject?, _ key: String) {
        encode(object.map { NSDictionary(dictionary: $0.foundation) }, forKey: key)
    }
}

/// The classes of which an archive may hold objects.
enum ArchiveClasses {
    /// The types of this face under the names that AppAuth gives them.
    static let named: [(name: String, type: AnyClass)] = [
        ("OIDAuthState", OIDAuthState.self), ("OIDAuthorizationRequest", OIDAuthorizationRequest.self),
        ("OIDAuthorizationResponse", OIDAuthorizationResponse.self), ("OIDTokenRequest", OIDTokenRequest.self),
        ("OIDTokenResponse", OIDTokenResponse.self), ("OIDServiceConfiguration", OIDServiceConfiguration.self),
        ("OIDServiceDiscovery", OIDServiceDiscovery.self), ("OIDRegistrationRequest", OIDRegistrationRequest.self),
        ("OIDRegistrationResponse", OIDRegistrationResponse.self),
        ("OIDEndSessionRequest", OIDEndSessionRequest.self), ("OIDEndSessionResponse", OIDEndSessionResponse.self),
    ]

    private static let values: [AnyClass] = [
        NSString.self, NSURL.self, NSDate.self, NSNumber.self, NSNull.self, NSArray.self, NSDictionary.self,
        NSError.self,
    ]

    static var permitted: [AnyClass] { named.map(\.type) + values }

    /// Whether every object of an archive is of a permitted class.
    static func permits(_ archive: Data) -> Bool {
        let list = try? PropertyListSerialization.propertyList(from: archive, options: [], format: nil)
        guard let list = list as? [String: Any], let objects = list["$objects"] as? [Any] else { return false }
        let names = Set(permitted.map(NSStringFromClass) + named.map(\.name))
        let mutable: Set<String> = ["NSMutableString", "NSMutableArray", "NSMutableDictionary"]
        return objects.allSatisfy { object in
            guard let name = (object as? [String: Any])?["$classname"] else { return true }
            return (name as? String).map { names.union(mutable).contains($0) } ?? false
        }
    }
}
