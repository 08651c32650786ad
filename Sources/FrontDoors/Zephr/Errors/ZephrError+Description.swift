import Ostiary

extension ZephrError: CustomStringConvertible {
    /// A sentence for a developer.
    public var description: String {
        switch reason {
        case .cancelled: "The operation was cancelled."
        case .alreadyInProgress: "Another sign-in is already open in the browser."
        case .presentationFailed: "The sign-in page could not be opened."
        case .timedOut: "The user did not finish the sign-in in time."
        case .mismatch(let check): SignInError(.redirect, .mismatch(check)).message
        case .illegalOutcome(let part): "The redirect has none of the three outcomes: \(part)."
        case .refused(let code): "The sign-in failed at the provider" + (code.map { " (\($0))." } ?? ".")
        case .unknownProvider: "The site does not know this provider."
        case .providerNotConfigured: "The site has no page for this provider: configure the provider there."
        case .untrustedPage: "The page's URL is not https on the host of the provider or the site."
        case .sessionNotConfirmed: "The site did not confirm the session of the redirect."
        case .otherAccount: "Another user than the expected one signed in."
        case .badRequest: "The site rejects the request: an attribute is missing, or the password is too weak."
        case .userAlreadyExists: "An account with this address already exists: sign in, or link the accounts."
        case .emailDomainRefused: "The site does not accept email addresses of this domain."
        case .userNotFound: "No account has this email address."
        case .wrongPassword: "The password is wrong."
        case .emailVerificationRequired: "The user has to confirm the email address first."
        case .registrationEnded: "The registration was completed or rejected before."
        case .sessionExpired: "The session has ended."
        case .notFound: "The site has no such object."
        case .rateLimited: "The site received too many attempts: try again later."
        case .server(let status): "The site responded with status \(status)."
        case .malformed(let part): "The site's response does not match its documentation: \(part)."
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
