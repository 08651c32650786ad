import ArgumentParser
import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary request`: one request to a resource server, with the session's token.
struct RequestCommand: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send a request with the session's token.",
        discussion: """
            Sends the token, with a proof if it is bound to a key, to the origin of
            --resource and those of --allow-origin only. Redirects are followed; another
            origin gets no token. The response is printed unchanged. The exit status is 1
            for a status of 400 to 499, and 8 for 429 and from 500 on.

            EXAMPLES
              ostiary request GET https://api.example.com/me \\
                --allow-origin https://api.example.com
              ostiary request POST https://api.example.com/notes \\
                --resource https://api.example.com \\
                --data-file note.json --content-type application/json
            """
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The method, such as GET.")
    var method: String

    @Argument(help: "The URL.")
    var url: String

    @Option(
        help: ArgumentHelp("The resource server that the token is for; its own origin is allowed.", valueName: "uri")
    )
    var resource: String?

    @Option(help: ArgumentHelp("Origin that may receive the token; may be repeated.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "A header field, which every user of this machine can read; may be repeated.",
            valueName: "name: value"
        )
    )
    var headers: [String] = []

    @Option(help: ArgumentHelp("A file to send; - for standard input.", valueName: "file"), completion: .file())
    var dataFile: String?

    @Option(help: ArgumentHelp("The file's media type. (default: application/octet-stream)", valueName: "type"))
    var contentType: String?

    mutating func validate() throws {
        if HTTPRequest.Method(rawValue: method.uppercased()) == nil {
            throw ValidationError("\(method.shortened) is not an HTTP method.")
        }
        if contentType != nil, dataFile == nil { throw ValidationError("--content-type needs --data-file.") }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let request = try request()
        let resource = try resource.map { (text) throws(SignInError) in try ResourceIndicator(text) }
        let origins = Set(try allowOrigin.map { (text) throws(SignInError) in try Origin(text) })
        guard let origin = Origin(request.url) else {
            throw UsageError("A token goes to an https URL, or to one on this machine.")
        }
        guard origins.contains(origin) || resource.flatMap({ Origin($0) }) == origin else {
            throw UsageError("Refusing to send the token to \(origin). If you trust it, add --allow-origin \(origin).")
        }
        return try await StoredSignIn.with(place, allowing: origins, telling: trace) { signIn in
            do throws(SignInError) {
                let response = try await signIn.session.data(for: request, resource: resource)
                if response.status.code >= 400, !output.json {
                    let line = "\(request.method.rawValue) \(request.url.withoutQuery): \(response.status.code)"
                    console.note("ostiary: \(line)".printable)
                }
                return Answer(response)
            } catch {
                guard case .stepUpRequired(let challenge) = error.reason else { throw error }
                throw TracedFailure(cause: error, members: ["stepUp": .object(challenge.object)])
            }
        }
    }

    private func request() throws -> EndpointRequest {
        guard let url = URL(string: url), let method = HTTPRequest.Method(rawValue: method.uppercased()) else {
            throw UsageError("\(url.shortened) is not a URL.")
        }
        var request = EndpointRequest(
            url: url,
            method: method,
            limits: .init(maximumBodyBytes: 16_777_216, deadline: .seconds(60))
        )
        for header in headers {
            guard let colon = header.firstIndex(of: ":"), let name = HTTPField.Name(String(header[..<colon])),
                name != .authorization
            else { throw UsageError("A header is written as name: value, and Authorization is the session's own.") }
            request.fields.append(
                HTTPField(
                    name: name,
                    value: header[header.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                )
            )
        }
        if let dataFile {
            request.content = .init(
                mediaType: contentType ?? "application/octet-stream",
                bytes: try Self.content(of: dataFile)
            )
        }
        return request
    }

    private static func content(of path: String) throws(UsageError) -> [UInt8] {
        path == "-"
            ? try InputFile.bytesOfStandardInput(limit: 16_777_216)
            : try InputFile.bytes(of: path, "data", limit: 16_777_216)
    }
}

extension AuthenticateChallenge.StepUp {
    fileprivate var object: JSONObject {
        var object = JSONObject()
        if !acrValues.isEmpty { object["acr_values"] = .texts(acrValues) }
        object["max_age"] = maximumAge.map { .integer(Int($0.components.seconds)) }
        if !scopes.isEmpty { object["scope"] = .string(scopes.text) }
        return object
    }
}

extension Answer {
    /// The answer for a resource server's response.
    fileprivate init(_ response: EndpointResponse) {
        let text = String(validating: response.body, as: UTF8.self)
        members = ["status": .integer(response.status.code)]
        members["contentType"] = response.fields[.contentType].map { .string($0) }
        if let text {
            members["body"] = .string(text)
        } else {
            members["bodyBase64url"] = .string(Base64URL.encode(response.body))
        }
        // The user's terminal gets no control characters of a server's choice.
        self.text =
            (text ?? "\(response.body.count) bytes that are not text").split(
                separator: "\n",
                omittingEmptySubsequences: false
            ).map { String($0).printable }.joined(separator: "\n") + "\n"
        content = response.body
        status =
            switch response.status.code {
            case ..<400: .success
            // Another request, or another time, can help: scripts tell them apart.
            case 400..<500 where response.status.code != 429: .other
            default: .server
            }
    }
}
