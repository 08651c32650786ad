#if canImport(SwiftUI)
    public import Foundation
    public import Ostiary

    extension SignInFailure {
        /// What did not work, in a few words.
        public func title(in locale: Locale = .current) -> String { PhraseBook(locale)(Phrase(occasion)) }

        /// What the person can do, in a sentence or two; empty when nothing is to be said.
        public func message(in locale: Locale = .current) -> String {
            guard let phrase = Phrase(advice) else { return "" }
            let book = PhraseBook(locale)
            let sentence = book(phrase)
            return requestID.map { "\(sentence)\n\(book(.requestID, $0))" } ?? sentence
        }
    }

    extension SignInError.Recovery {
        /// What a person can do, in a sentence.
        public func message(in locale: Locale = .current) -> String {
            Phrase(SignInFailure.Advice(self)).map { PhraseBook(locale)($0) } ?? ""
        }
    }
#endif
