#if canImport(SwiftUI)
    public import Foundation
    public import Ostiary

    extension SignInFailure {
        /// Returns the failure in a few words.
        public func title(in locale: Locale = .current) -> String { PhraseBook(locale)(Phrase(occasion)) }

        /// Returns the advice in a sentence or two; empty for no message.
        public func message(in locale: Locale = .current) -> String {
            guard let phrase = Phrase(advice) else { return "" }
            let book = PhraseBook(locale)
            let sentence = book(phrase)
            return requestID.map { "\(sentence)\n\(book(.requestID, $0))" } ?? sentence
        }
    }

    extension SignInError.Recovery {
        /// Returns the advice in a sentence; empty for no message.
        public func message(in locale: Locale = .current) -> String {
            Phrase(SignInFailure.Advice(self)).map { PhraseBook(locale)($0) } ?? ""
        }
    }
#endif
