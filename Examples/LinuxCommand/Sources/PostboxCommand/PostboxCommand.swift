import Foundation
import Ostiary
import Postbox

/// The command line: one word, and what comes of it.
@main
struct PostboxCommand {
    static func main() async {
        guard CommandLine.arguments.count == 2, let word = Postbox.Word(rawValue: CommandLine.arguments[1]) else {
            end("postbox \(Postbox.Word.allCases.map(\.rawValue).joined(separator: " | "))", status: 2)
        }
        do throws(SignInError) {
            let settings = try Settings(ProcessInfo.processInfo.environment)
            // Opens the browser, and waits for it at a port of this machine (RFC 8252 section 7.3).
            let browser = LoopbackBrowser(appName: "Postbox") { note("If no browser opens, visit: \($0)") }
            let client = SignInClient(
                issuer: settings.issuer,
                client: settings.client,
                configuration: SignInClient.Configuration(
                    userAgent: browser,
                    store: settings.store,
                    policy: settings.policy
                )
            )
            print(try await Postbox(client: client, letters: settings.letters).run(word))
            // The browser shows its last page before this process ends.
            await browser.settle()
        } catch {
            end(error.reason == .signInRequired ? "You are not signed in. Run: postbox sign-in" : "\(error)", status: 1)
        }
    }

    private static func note(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

    private static func end(_ line: String, status: Int32) -> Never {
        note(line)
        exit(status)
    }
}
