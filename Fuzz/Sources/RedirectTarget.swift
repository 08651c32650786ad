import Foundation
import OstiaryOAuth

extension FuzzTarget {
    /// A URL that came back from a browser; the first letter chooses the redirect URI; a capital one says that the
    /// input is the whole URL, a small one that it stands behind the right place and the right `state`.
    static let redirect = FuzzTarget(name: "redirect") { bytes in
        guard let choice = bytes.first else { return }
        let place = places[Int(choice & 0x1F) % places.count]
        let rest = text(bytes.dropFirst())
        let prefix = "\(place.text)\(place.text.contains("?") ? "&" : "?")state=\(place.state)&"
        guard let url = URL(string: choice & 0x20 == 0 ? rest : prefix + rest) else { return }
        let isAnswered = place.pending.isAnswered(by: url)
        do throws(SignInError) {
            let grant = try place.pending.grant(from: url)
            demand(isAnswered, "what is granted answers the request")
            let query = url.absoluteString.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
            let given = FormURLEncoding.decode(query)
            demand(given?.values(of: .state) == [place.state], "the state is there once, and the one that was sent")
            demand(given?.values(of: .code).count == 1, "there is one code")
            demand(given?[.error] == nil, "there is no error")
            for name: Parameters.Name in ["response", "id_token", "access_token", "token"] {
                demand(given?[name] == nil, "nothing of another response type is there")
            }
            let scheme = place.text.prefix { $0 != ":" }
            demand(url.absoluteString.lowercased().hasPrefix(scheme + ":"), "the scheme is the redirect URI's")
            demand(url.host() == URL(string: place.text)?.host(), "the host is the redirect URI's")
            demand(grant.parameters[.code] == given?[.code], "the code is the one that came")
            demand(grant.parameters[.redirectURI] == place.text, "the redirect URI is the one that was sent")
        } catch {
            demand(error.stage == .redirect, "the stage is the redirect")
            if case .refused(let refusal) = error.reason {
                demand(isAnswered, "an error is believed only with the right state")
                demand(refusal.code.rawValue.unicodeScalars.count <= 500, "an error code is cut")
            } else {
                demandDiscreet(error)
            }
        }
        demandDiscreet(place.pending)
    }

    private struct Place {
        let text: String
        let pending: PendingAuthorization
        let state: String

        init(_ text: String) {
            self.text = text
            pending = World.pending(for: World.client(redirectURI: text))
            let query = pending.url.absoluteString.drop { $0 != "?" }.dropFirst()
            state = FormURLEncoding.decode(query)?[.state] ?? ""
        }
    }

    private static let places = [
        "com.example.app:/callback", "https://app.example/callback", "https://app.example/callback?tenant=a%20b",
        "http://127.0.0.1:8080/callback", "http://[::1]/", "com.example.app://callback", "https://app.example",
    ].map(Place.init)
}
