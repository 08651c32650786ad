#if canImport(SwiftUI)
    import Foundation
    import OstiaryOAuth
    import Testing

    @testable import OstiarySwiftUI

    @Suite("Texts of the views")
    struct PhraseTests {
        private static func table(_ language: String) throws -> [String: String] {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
            let file = folder.appending(
                path: "../../../Sources/OstiarySwiftUI/Resources/\(language).lproj/Localizable.strings"
            )
            let data = try Data(contentsOf: file)
            return try #require(
                try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: String]
            )
        }

        @Test("Every phrase is there in every language", arguments: PhraseBook.languages)
        func complete(_ language: String) throws {
            #expect(Set(try Self.table(language).keys) == Set(Phrase.allCases.map(\.rawValue)))
        }

        @Test("A phrase has the same placeholders in every language", arguments: PhraseBook.languages)
        func placeholders(_ language: String) throws {
            func placeholders(_ text: String) -> [Substring] { text.matches(of: #/%[^%]/#).map(\.output).sorted() }
            let english = try Self.table("en").mapValues(placeholders)
            #expect(try Self.table(language).mapValues(placeholders) == english)
            #expect(english["sign-in-with"] == ["%@"] && english["request-id"] == ["%@"])
        }

        @Test("No phrase is empty or left in English", arguments: PhraseBook.languages.dropFirst())
        func translated(_ language: String) throws {
            let english = try Self.table("en")
            for (key, text) in try Self.table(language) { #expect(!text.isEmpty && text != english[key], "\(key)") }
        }

        @Test(
            "The phrase table is chosen by the user's language and region",
            arguments: [
                ("en_US", "Sign in"), ("ko_KR", "로그인"), ("ja_JP", "サインイン"), ("de_AT", "Anmelden"),
                ("zh_CN", "登录"), ("zh_TW", "登入"), ("zh_HK", "登入"), ("zh-Hans_TW", "登录"), ("zh", "登录"),
                ("fr_FR", "Sign in"), ("", "Sign in"),
            ]
        )
        func language(_ identifier: String, _ words: String) {
            #expect(PhraseBook(Locale(identifier: identifier))(.signIn) == words)
        }

        @Test("The name of a provider is put in its place")
        func argument() {
            #expect(PhraseBook(Locale(identifier: "ko"))(.signInWith, "Example") == "Example 계정으로 로그인")
        }

        @Test("Every recovery and every advice has a sentence in every language", arguments: PhraseBook.languages)
        func sentences(_ language: String) {
            let locale = Locale(identifier: language)
            let recoveries: [SignInError.Recovery] = [.retry, .signInAgain, .fixConfiguration, .none]
            #expect(Set(recoveries.map { $0.message(in: locale) }.filter { !$0.isEmpty }).count == 4)
            for advice in SignInFailure.Advice.allCases where advice != .nothing {
                var failure = SignInFailure(SignInError(.token, .timedOut), .signIn)
                failure.advice = advice
                #expect(!failure.message(in: locale).isEmpty)
            }
        }

        @Test("A failure's message shows the server's request identifier, and no other detail of the error")
        func requestID() {
            let error = SignInError(.token, .server(status: 500), requestID: "req-7")
            let failure = SignInFailure(error, .signIn)
            let message = failure.message(in: Locale(identifier: "de"))
            #expect(message.hasSuffix("\nReferenz für den Support: req-7"))
            #expect(!message.contains("500"))
        }

        @Test(
            "Every sign-in error has the advice that the user can act on",
            arguments: [
                (.cancelled, .nothing), (.timedOut, .answerSooner), (.transport(.unreachable), .connect),
                (.transport(.insecureURL), .tellMaker), (.alreadyInProgress, .finishOther),
                (.storage(.locked), .unlock), (.storage(.corrupted), .giveUp), (.signInRequired, .signInAgain),
                (.configuration("x"), .tellMaker), (.mismatch(.signature), .giveUp), (.mismatch(.state), .signInAgain),
                (.refused(OAuthError(code: .accessDenied)), .askForAccess), (.server(status: 503), .tryAgain),
            ] as [(SignInError.Reason, SignInFailure.Advice)]
        )
        func advice(_ reason: SignInError.Reason, _ advice: SignInFailure.Advice) {
            #expect(SignInFailure(SignInError(.authorization, reason), .signIn).advice == advice)
        }

        @Test("An error of an unknown type shows its type name, and not its description")
        func strangers() {
            struct Stranger: Error, CustomStringConvertible { let description = "token=abc" }
            let failure = SignInFailure(Stranger(), .signIn)
            #expect(failure.advice == .giveUp && failure.details == "Stranger")
            #expect(SignInFailure(CancellationError(), .signIn).advice == .nothing)
        }
    }
#endif
