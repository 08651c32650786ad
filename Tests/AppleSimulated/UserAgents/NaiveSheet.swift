// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
import AuthenticationServices
import Foundation

/// What an app writes that does not think of the thread: the closure is the main actor's, and the report is not.
@MainActor
final class NaiveSheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private var session: ASWebAuthenticationSession?
    private let window: ASPresentationAnchor

    private init(_ window: ASPresentationAnchor) {
        self.window = window
        super.init()
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window }

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
