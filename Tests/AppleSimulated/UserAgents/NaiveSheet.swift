// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
import AuthenticationServices
import Foundation

/// The closure of an app that ignores the thread: it is the main actor's, and the report is not.
@MainActor
final class NaiveSheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private var session: ASWebAuthenticationSession?
    private let window: ASPresentationAnchor

    private init(_ window: ASPresentationAnchor) {
        self.window = window
        super.init()
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window }

    /// Opens a page with header fields, and returns the code of the system's error with its reason; `nil` for a redirect.
    static func failure(_ fields: [String: String]) async -> Int? {
        guard let window = await Windows.found(), let page = URL(string: Site.issuer + "/authorize") else { return 0 }
        let sheet = NaiveSheet(window)
        defer { withExtendedLifetime(sheet) {} }
        return await withCheckedContinuation { (continuation: CheckedContinuation<Int?, Never>) in
            let report: @Sendable (URL?, (any Error)?) -> Void = { _, error in
                let error = error.map { $0 as NSError }
                let reason = error?.userInfo[NSLocalizedFailureReasonErrorKey] as? String
                continuation.resume(returning: reason?.contains("headers are invalid") == true ? error?.code : nil)
            }
            let session = ASWebAuthenticationSession(url: page, callback: .customScheme("x"), completionHandler: report)
            session.presentationContextProvider = sheet
            session.additionalHeaderFields = fields
            sheet.session = session
            session.start()
        }
    }

    static func run() async {
        guard let window = await Windows.found(), let page = URL(string: "http://127.0.0.1:9/") else { return }
        let sheet = NaiveSheet(window)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let session = ASWebAuthenticationSession(url: page, callbackURLScheme: "x") { _, _ in
                continuation.resume()
            }
            session.presentationContextProvider = sheet
            sheet.session = session
            session.start()
            session.cancel()
        }
    }
}
