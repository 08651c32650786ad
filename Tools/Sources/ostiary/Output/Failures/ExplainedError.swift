import Ostiary
import OstiaryOAuth
import ProviderServer

/// An error of a session with the command's own words: the thing that failed, and the next step.
struct ExplainedError: Error {
    /// The error, which decides the exit status and the members for programs.
    let cause: SignInError
    let message: String
    /// The next step; `nil` for none.
    let advice: String?
    /// Whether a sign-out has nothing to do, rather than to fail.
    var endsQuietly = false

    init(_ cause: SignInError, _ message: String, advice: String? = nil) {
        self.cause = cause
        self.message = message
        self.advice = advice
    }
}

extension ExplainedError {
    /// A profile whose session has ended, or that never had one.
    ///
    /// `hasClient` says whether the profile remembers a client to sign in with.
    init(notSignedIn place: SessionOptions, hasClient: Bool) {
        let line = LoginLine(place).text
        self.init(
            SignInError(.storage, .signInRequired),
            "Not signed in (profile \"\(place.profile)\").",
            advice: hasClient
                ? "Run: \(line)" : "Run, with your issuer and client: \(line) --issuer URL --client-id ID"
        )
        endsQuietly = true
    }

    /// A profile that does not exist in the store.
    init(noProfile place: SessionOptions) async {
        let names = (try? await StoredProfiles(in: place.store.open()))?.names.map(\.description) ?? []
        let list = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and more" : "")
        self.init(
            SignInError(.storage, .signInRequired),
            "There is no profile \"\(place.profile)\" in the store.",
            advice: names.isEmpty ? "The store has no profiles." : "It has: \(list)"
        )
    }

    /// The absence of a session in a profile: it may be signed in through a front door.
    init(noSession place: SessionOptions, hasClient: Bool) async {
        for system in VendorSystem.allCases {
            let kept = try? await FrontDoorPlace(place, of: system).configuration()
            guard kept != nil, !hasClient else { continue }
            let name = CommandArguments.current.first ?? "token"
            let line = LoginLine.shell(["ostiary", system.rawValue, name] + place.arguments)
            self.init(
                SignInError(.storage, .signInRequired),
                "The profile \"\(place.profile)\" is signed in through the front door \(system.rawValue).",
                advice: system.commands.contains(name)
                    ? "Run: \(line)" : "Run: " + LoginLine.shell(["ostiary", system.rawValue, "--help"])
            )
            return
        }
        self.init(notSignedIn: place, hasClient: hasClient)
    }
}

extension VendorSystem {
    /// The commands of the front door that have the name of a general one.
    fileprivate var commands: Set<String> {
        switch self {
        case .logi: ["login", "token", "logout"]
        case .logto: ["login", "token", "logout", "userinfo"]
        case .curity: ["login", "token", "logout"]
        case .zephr: ["login", "logout"]
        default: []
        }
    }
}
