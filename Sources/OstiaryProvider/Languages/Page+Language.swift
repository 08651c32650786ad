extension Page {
    /// The page in a language: the provider's sentences, and the language that a renderer has its texts in.
    ///
    /// Names stay as they are, and so do sentences of the configuration. An error for the developer of an app stays
    /// English, beside a sentence for the user.
    func localized(in language: PageLanguage) -> Page {
        guard language != .english else { return self }
        switch self {
        case .login(var page):
            page.frame.localize(in: language)
            page.failure = page.failure.map(language.translation)
            return .login(page)
        case .accounts(var page):
            page.frame.localize(in: language)
            return .accounts(page)
        case .oneTimePassword(var page):
            page.frame.localize(in: language)
            page.failure = page.failure.map(language.translation)
            return .oneTimePassword(page)
        case .account(var page):
            page.frame.localize(in: language)
            page.failure = page.failure.map(language.translation)
            return .account(page)
        case .consent(var page):
            page.frame.localize(in: language)
            page.scopes = page.scopes.map(language.translation)
            page.links = page.links.map { ConsentPage.Link(label: language.translation(of: $0.label), url: $0.url) }
            return .consent(page)
        case .signOut(var page):
            page.frame.localize(in: language)
            return .signOut(page)
        case .signedOut(var page):
            page.frame.localize(in: language)
            page.sentence = language.translation(of: page.sentence)
            return .signedOut(page)
        case .userCode(var page):
            page.frame.localize(in: language)
            page.failure = page.failure.map(language.translation)
            return .userCode(page)
        case .deviceConsent(var page):
            page.frame.localize(in: language)
            page.scopes = page.scopes.map(language.translation)
            return .deviceConsent(page)
        case .deviceDone(var page):
            page.frame.localize(in: language)
            page.sentence = language.translation(of: page.sentence)
            return .deviceDone(page)
        case .answer(var page):
            page.frame.localize(in: language)
            return .answer(page)
        case .error(let page):
            return .error(page.localized(in: language))
        // The page is for developers.
        case .front: return self
        }
    }

    /// The form of the page; `nil` for a page without one.
    var form: PageForm? {
        switch self {
        case .login(let page): page.form
        case .accounts(let page): page.form
        case .oneTimePassword(let page): page.form
        case .account(let page): page.form
        case .consent(let page): page.form
        case .signOut(let page): page.form
        case .userCode(let page): page.form
        case .deviceConsent(let page): page.form
        case .answer(let page): page.form
        case .signedOut, .deviceDone, .front, .error: nil
        }
    }
}

extension PageFrame {
    fileprivate mutating func localize(in language: PageLanguage) {
        self.language = language
        developmentMark = language.translation(of: developmentMark)
    }
}

extension ErrorPage {
    fileprivate func localized(in language: PageLanguage) -> ErrorPage {
        var page = self
        page.frame.localize(in: language)
        if let translated = PageText.translation(of: sentence, in: language) {
            page.sentence = translated
        } else {
            page.sentence = PageText.appMistake.text(in: language)
            page.reason = reason ?? sentence
        }
        return page
    }
}

extension PageLanguage {
    /// A sentence in this language; the sentence itself where the table does not have it.
    fileprivate func translation(of sentence: String) -> String {
        PageText.translation(of: sentence, in: self) ?? sentence
    }

    fileprivate func translation(of line: ConsentPage.ScopeLine) -> ConsentPage.ScopeLine {
        guard let text = line.text else { return line }
        var line = line
        line.sentence = text.text(in: self, line.name)
        return line
    }
}
