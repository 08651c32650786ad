import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The members of a redirect's query, as the vendor's guide reads them.
public struct BlaizeQueryItems: Sendable {
    private let parameters: Parameters

    init(_ url: URL) {
        parameters = FormURLEncoding.decode(url.query(percentEncoded: true) ?? "") ?? Parameters()
    }

    /// The value of a member; `nil` for none, and for a repeated one, of which an attacker may have added one.
    public subscript(name: String) -> String? {
        let values = parameters.values(of: Parameters.Name(rawValue: name))
        return values.count == 1 ? values[0] : nil
    }
}

extension URL {
    /// The members of the query, by name.
    public var queryItems: BlaizeQueryItems { BlaizeQueryItems(self) }
}
