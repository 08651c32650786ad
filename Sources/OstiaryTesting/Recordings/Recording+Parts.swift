public import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Recording {
    /// One command of a recording.
    public struct Step: Sendable {
        /// The name that the exchanges of the command carry; `nil` where the recording names none.
        public let name: String?
        /// The arguments of the command line; files, stores and passwords can be replaced by words such as `FILE`.
        ///
        /// Arguments that are recorded as one text are split at spaces.
        public let arguments: [String]
        /// The exit status of `ostiary`.
        public let exit: Int?
        /// The JSON object that `ostiary` printed.
        public let answer: JSONObject?
        /// Every member of the step.
        public let members: JSONObject

        init(_ members: JSONObject) {
            self.members = members
            name = members["step"]?.string
            let text = members["arguments"]?.string.map { $0.split(separator: " ").map(String.init) }
            arguments = text ?? members["arguments"]?.array?.compactMap(\.string) ?? []
            exit = members["exit"]?.integer
            answer = members["answer"]?.object
        }
    }

    /// One request, and its response.
    public struct Exchange: Sendable {
        /// The number in order of arrival.
        public let number: Int
        /// The name of the step that it belongs to.
        public let step: String?
        /// The time at which the request arrived.
        public let time: Date
        /// The time until the response was complete.
        public let duration: Duration
        /// The method.
        public let method: HTTPRequest.Method
        /// The URL as the client sent it.
        public let url: URL
        /// The header fields and the body of the request.
        public let request: Message
        /// The response; `nil` when none came.
        public let response: EndpointResponse?
        /// Whether the user's browser sent it, and not the client.
        public let isBrowser: Bool
        /// The reason why no response came: the raw value of a `TransportFailure`.
        public let failure: String?
    }

    /// The header fields and the body of a request.
    public struct Message: Sendable, Hashable {
        /// The header fields; names that HTTP does not allow are left out.
        public let fields: HTTPFields
        /// The octets of the body.
        public let body: [UInt8]

        /// The parameters of a form; empty for any other body.
        public var form: Parameters {
            guard fields[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else { return [:] }
            return FormURLEncoding.decode(String(decoding: body, as: UTF8.self)) ?? [:]
        }
    }
}
