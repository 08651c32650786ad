// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
import Foundation
import Ostiary

#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// URLs as the system brings them to an app.
@MainActor
enum ForwardedByTheSystem {
    /// URLs of a custom scheme; those that no receiver took come back.
    static func urls(_ urls: [URL], to redirects: ForwardedRedirects) -> [URL] {
        #if canImport(UIKit)
            redirects.handle(Set(urls.map(UIOpenURLContext.simulated))).map(\.url)
        #else
            redirects.handle(urls)
        #endif
    }
}
