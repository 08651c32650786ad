import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary device`: a user signs in on another device, and the session is stored here.
struct Device: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign in with a browser on another device.",
        discussion: """
            The page and the code are printed on standard error, on a terminal also as a
            QR code. With --json the first line of standard output is an object with
            user_code, verification_uri, verification_uri_complete and expires_in, and the
            second line is the result.

            EXAMPLES
              ostiary device --issuer https://id.example.com --client-id tv
            """
    )

    @OptionGroup(title: "Client") var client: ClientOptions
    @OptionGroup(title: "Server without metadata") var endpoints: EndpointOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "The requested scopes, separated by spaces. (default: openid, and profile and offline_access as far as the issuer lists them)",
            valueName: "scopes"
        )
    )
    var scope: String?

    @Option(
        help: ArgumentHelp(
            "A resource server for ostiary token --resource; may be repeated.",
            valueName: "uri"
        )
    )
    var resource: [String] = []

    @Option(
        help: ArgumentHelp(
            "The seconds to wait for the user. (default: as long as the code is valid)",
            valueName: "seconds"
        )
    )
    var timeout: Int?

    @Flag(name: .customLong("no-qr"), help: "Draw no QR code.")
    var drawsNoCode = false

    mutating func validate() throws {
        if let timeout, !(1...86_400).contains(timeout) {
            throw ValidationError("--timeout must be between 1 and 86400 (seconds).")
        }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let profile = Profile(name: place.profile, store: place.store.open())
        let resources = try ResourceIndicator.list(resource)
        let scopes = scope.map(Scope.list)
        let record = try await client.record(
            in: profile,
            scopes: scopes,
            endpoints: endpoints,
            console: console
        )
        let signIn = try await SignInClient(record, of: profile, telling: trace)
        let late = LateRevocations(of: signIn)
        let session = try await profile.keep(record) { () async throws(SignInError) in
            try await inTime { () async throws(SignInError) in
                try await signIn.signInOnOtherDevice(scopes: scopes, resources: resources) { show($0, on: console) }
            }
        }
        var answer = Answer(signedIn: session, at: record.issuer, requested: scopes ?? [])
        if await late.areLeft() { answer.tellOfRevocationsLeft() }
        return answer
    }

    private func show(_ pending: PendingDeviceAuthorization, on console: Console) {
        if output.json {
            // If the reader has closed the output, the final answer reports that.
            try? console.print(pending.object.printable + "\n")
        }
        let seconds = Int((pending.lifetime / .seconds(1)).rounded())
        console.note("Open this page on any device, and enter the code there:\n")
        var table = ClaimsTable()
        table.add("page", pending.verificationURI)
        table.add("code", pending.userCode)
        console.note(table.text)
        defer { console.note("The code is valid for \(seconds.inWords). Waiting for you to confirm it; Ctrl-C stops.") }
        guard console.isWatched, !drawsNoCode, console.drawsBlocks,
            let code = QRCode(pending.completeVerificationURI ?? pending.verificationURI),
            code.width <= console.width
        else { return }
        for line in code.lines { console.note(line) }
    }

    /// Gives up when the user takes too long.
    private func inTime(
        _ signIn: @escaping @Sendable () async throws(SignInError) -> Session
    ) async throws(SignInError) -> Session {
        guard let timeout else { return try await signIn() }
        let race = Race<Session>()
        let work = Task {
            do { race.finish(.success(try await signIn())) } catch { race.finish(.failure(error)) }
        }
        let alarm = Task {
            try await Task.sleep(for: .seconds(timeout))
            race.finish(.failure(SignInError(.device, .timedOut)))
        }
        defer {
            work.cancel()
            alarm.cancel()
        }
        do {
            return try await withTaskCancellationHandler {
                try await race.result()
            } onCancel: {
                work.cancel()
            }
        } catch let error as SignInError {
            throw error
        } catch {
            throw SignInError(.device, .cancelled)
        }
    }
}

extension PendingDeviceAuthorization {
    /// The values for the user, by the names of the response.
    ///
    /// (RFC 8628 section 3.2)
    fileprivate var object: JSONObject {
        [
            "user_code": .string(userCode),
            "verification_uri": .string(verificationURI),
            "verification_uri_complete": completeVerificationURI.map { .string($0) } ?? .null,
            "expires_in": .integer(Int((lifetime / .seconds(1)).rounded())),
        ]
    }
}
