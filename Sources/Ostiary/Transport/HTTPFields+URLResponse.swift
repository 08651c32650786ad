import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPFields {
    /// Reads the fields of a response.
    ///
    /// Foundation joins repeated fields with commas, which means the same for every field (RFC 9110 section 5.3) but
    /// Set-Cookie; that one is taken apart again. On Linux, of fields that differ in the case of their names alone one
    /// is lost.
    init(_ response: HTTPURLResponse) {
        self.init()
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            guard name == .setCookie else {
                append(HTTPField(name: name, value: value))
                continue
            }
            for cookie in value.separateCookies { append(HTTPField(name: name, value: cookie)) }
        }
    }
}

extension String {
    /// The values of Set-Cookie fields that were joined with commas.
    ///
    /// A comma starts a cookie when a name and an equals sign follow; the one in `Expires=Wed, 09 Jun 2027` does not.
    var separateCookies: [String] {
        var cookies: [String] = []
        for part in split(separator: ",", omittingEmptySubsequences: false) {
            if let last = cookies.indices.last, !part.startsCookie {
                cookies[last] += "," + part
            } else {
                cookies.append(String(part.drop { $0 == " " }))
            }
        }
        return cookies
    }
}

extension Substring {
    fileprivate var startsCookie: Bool {
        guard let name = drop(while: { $0 == " " }).split(separator: "=", omittingEmptySubsequences: false).first,
            contains("=")
        else { return false }
        return HTTPField.Name(String(name)) != nil
    }
}
