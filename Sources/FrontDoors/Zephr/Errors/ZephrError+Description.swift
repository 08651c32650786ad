import Ostiary

extension ZephrError: CustomStringConvertible {
    /// A sentence for a developer.
    public var description: String {
        switch reason {
        case .cancelled: "It was cancelled."
        case .alreadyInProgress: "Another sign-in is in the browser already."
        case .presentationFailed: "The sign-in page could not be shown."
        case .timedOut: "Nobody answered in time."
        case .mismatch(let check): SignInError(.redirect, .mismatch(check)).message
        case .illegalOutcome(let part): "The redirect is none of the three outcomes: \(part)."
        case .refused(let code): "The sign-in failed at the provider" + (code.map { " (\($0))." } ?? ".")
        case .unknownProvider: "The site does not know this provider."
        case .providerNotConfigured: "The site did not say where the provider's page is: set the provider up there."
        case .untrustedPage: "The page to open is not https on the provider's or the site's host."
        case .sessionNotConfirmed: "The site did not confirm the session of the redirect."
        case .otherAccount: "Somebody else signed in than was expected."
        case .badRequest: "The site refuses the request: an attribute is missing, or the password is too weak."
        case .userAlreadyExists: "There is such a person already: sign in, or have the accounts linked."
        case .emailDomainRefused: "The site does not take addresses of this domain."
        case .userNotFound: "Nobody has this address."
        case .wrongPassword: "The password is wrong."
        case .emailVerificationRequired: "The person has to confirm the address first."
        case .registrationEnded: "The registration was finished or refused before."
        case .sessionExpired: "The session has ended."
        case .notFound: "There is no such thing at the site."
        case .rateLimited: "There were too many tries."
        case .server(let status): "The site answered with status \(status)."
        case .malformed(let part): "The site's answer is not what its documentation says: \(part)."
        case .transport(let failure): SignInError(.token, .transport(failure)).message
        case .storage(let failure): SignInError(.storage, .storage(failure)).message
        case .configuration(let sentence): sentence
        }
    }
}

extension ZephrError {
    /// Makes the error for a failed presentation or a failed request.
    init(_ error: SignInError) {
        switch error.reason {
        case .cancelled: self.init(.cancelled)
        case .timedOut: self.init(.timedOut)
        case .mismatch(let check): self.init(.mismatch(check))
        case .malformed(let part): self.init(.malformed(part))
        case .transport(let failure): self.init(.transport(failure))
        case .storage(let failure): self.init(.storage(failure))
        case .presentation(.associatedDomainMissing): self.init(.configuration(error.message))
        case .presentation: self.init(.presentationFailed)
        case .configuration(let sentence): self.init(.configuration(sentence))
        case .server(let status): self.init(.server(status: status))
        default: self.init(.malformed("it cannot be read"))
        }
    }
}
