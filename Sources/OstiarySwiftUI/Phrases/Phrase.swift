#if canImport(SwiftUI)
    /// The texts of this module for the user: keys of `Localizable.strings`.
    enum Phrase: String, CaseIterable {
        case signIn = "sign-in"
        case signInWith = "sign-in-with"
        case signInHint = "sign-in-hint"
        case signingIn = "signing-in"
        case signOut = "sign-out"
        case signOutHint = "sign-out-hint"
        case signingOut = "signing-out"
        case tryAgain = "try-again"
        case signInAgainAction = "sign-in-again-action"
        case close

        case titleSignIn = "title.signIn"
        case titleRestore = "title.restore"
        case titleSignOut = "title.signOut"
        case titleSessionEnd = "title.sessionEnd"

        case tryAgainAdvice = "advice.tryAgain"
        case connectAdvice = "advice.connect"
        case answerSoonerAdvice = "advice.answerSooner"
        case finishOtherAdvice = "advice.finishOther"
        case signInAgainAdvice = "advice.signInAgain"
        case unlockAdvice = "advice.unlock"
        case askForAccessAdvice = "advice.askForAccess"
        case tellMakerAdvice = "advice.tellMaker"
        case giveUpAdvice = "advice.giveUp"
        case requestID = "request-id"
    }

    extension Phrase {
        /// The title of a failure.
        init(_ occasion: SignInFailure.Occasion) {
            switch occasion {
            case .signIn: self = .titleSignIn
            case .restore: self = .titleRestore
            case .signOut: self = .titleSignOut
            case .sessionEnd: self = .titleSessionEnd
            }
        }

        /// The text of the advice; `nil` for no message.
        init?(_ advice: SignInFailure.Advice) {
            switch advice {
            case .nothing: return nil
            case .tryAgain: self = .tryAgainAdvice
            case .connect: self = .connectAdvice
            case .answerSooner: self = .answerSoonerAdvice
            case .finishOther: self = .finishOtherAdvice
            case .signInAgain: self = .signInAgainAdvice
            case .unlock: self = .unlockAdvice
            case .askForAccess: self = .askForAccessAdvice
            case .tellMaker: self = .tellMakerAdvice
            case .giveUp: self = .giveUpAdvice
            }
        }
    }
#endif
