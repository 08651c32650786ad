/// A text of the pages.
///
/// The pages have no other texts but names, identifiers, the sentences of the configuration, and the errors for the
/// developer of an app, which are English.
public enum PageText: String, Sendable, Hashable, CaseIterable {
    // Every page.
    case developmentMark, footer, error, continuing, cancel, toContinue, signedInAs

    // Signing in.
    case signIn, userName, password, withoutPassword, wrongPassword, unknownUser, wrongPasswordsMinute,
        wrongPasswordsMinutes

    // One-time codes and accounts.
    case enterOneTimeCode, oneTimeCode, signingInAs, wrongCode, wrongCodesMinute, wrongCodesMinutes, chooseAccount,
        signedInState, signedOutState, forget, forgetAccount, anotherAccount

    // Passkeys.
    case passkeys, signInWithPasskey, passkeyNotUsed, noPasskey, passkeyNumber, backedUp, remove, removePasskey,
        addPasskey, passkeyUnsupported, passkeyNotAdded, passkeyOnDevice, passkeyUnknown, passkeyUnverified,
        passkeyTaken, tooManyPasskeys, passkeyCopied, passkeyRefused

    // Consent.
    case allowAccess, allowAccessQuestion, asksTo, allow, deny, homePage, privacyPolicy, terms, knowYou, seeProfile,
        seeEmail, seeAddress, seePhone, staySignedInAway, useAtResource

    // Devices.
    case connectDevice, connectDeviceQuestion, deviceShowsCode, compareCode, enterCode, code, nothingAllowed,
        notSignedInNothingAllowed, deviceDone

    // Signing out.
    case signOut, signOutQuestion, asksToSignOut, staySignedIn, signedOut, youAreSignedOut, youStaySignedIn,
        signOutOfApp

    // Back to the app.
    case backToApp, answerReady

    // Errors.
    case requestFailed, notYourMistake, forDeveloper, goBack, appMistake, pageTooOld, otherBrowser, answeredBefore,
        notSignedInAnyMore, deviceCodeOld, deviceCodeUsed, noSuchPage, providerFailed, formUnreadable, foreignForm
}

extension PageText {
    /// The mark of the place for a name or a number.
    static let placeholder = "{}"

    /// The text in English.
    public var english: String { translations.english }

    /// The text in a language.
    public func text(in language: PageLanguage) -> String {
        switch language {
        case .english: translations.english
        case .german: translations.german
        case .french: translations.french
        case .spanish: translations.spanish
        case .japanese: translations.japanese
        }
    }

    /// The text in a language, with a name or a number in its place.
    public func text(in language: PageLanguage, _ argument: String) -> String {
        let parts = parts(in: language)
        return parts.before + argument + parts.after
    }

    /// The text around the place for a name or a number; for a text without one, the text and nothing.
    public func parts(in language: PageLanguage) -> (before: String, after: String) {
        let text = text(in: language)
        guard let place = text.firstRange(of: Self.placeholder) else { return (text, "") }
        return (String(text[..<place.lowerBound]), String(text[place.upperBound...]))
    }

    /// An English sentence of the table in another language; `nil` for a sentence that the table does not have.
    static func translation(of sentence: String, in language: PageLanguage) -> String? {
        if let text = byEnglish[sentence] { return text.text(in: language) }
        for text in withPlaceholder {
            let (before, after) = text.parts(in: .english)
            guard sentence.utf8.count > before.utf8.count + after.utf8.count, sentence.hasPrefix(before),
                sentence.hasSuffix(after)
            else { continue }
            return text.text(in: language, String(sentence.dropFirst(before.count).dropLast(after.count)))
        }
        return nil
    }

    static let byEnglish = Dictionary(allCases.map { ($0.english, $0) }) { first, _ in first }
    /// The sentences with a place in them, which do not begin with it.
    private static let withPlaceholder = allCases.filter { !$0.parts(in: .english).before.isEmpty }
        .filter { $0.english.contains(placeholder) }
}
