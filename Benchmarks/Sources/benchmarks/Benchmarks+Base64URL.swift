import Foundation
import OstiaryJOSE
import Subjects

/// Base64url of a token of 20 claims, beside the alternatives without a decoder of its own.
extension Benchmarks {
    static func codeBase64URL() async throws {
        let bytes = Subject.claims.encoded()
        let text = Array(Base64URL.encode(bytes).utf8)
        var decoders: [(name: String, body: @Sendable () async throws -> Void)] = []
        // The measure: the same loop over Span, which systems before iOS 26 and macOS 26 lack, and which Swift 6.2 rejects.
        #if compiler(>=6.3) && os(Linux)
            precondition(SpanDecoder.decode(text) == bytes)
            decoders.append(("the same loop over Span", { precondition(SpanDecoder.decode(text) != nil) }))
        #endif
        decoders.append(("ostiary", { _ = try Base64URL.decode(text) }))
        decoders.append(("Foundation: - and _ replaced, padded", { precondition(foundationDecoded(text) != nil) }))
        Measurement.show(
            "Decode base64url, \(text.count) characters",
            try await Measurement.compare(iterations: 20_000, decoders)
        )
        Measurement.show(
            "Encode base64url, \(bytes.count) bytes",
            try await Measurement.compare(
                iterations: 20_000,
                [
                    ("ostiary", { precondition(!Base64URL.encode(bytes).isEmpty) }),
                    ("Foundation: + and / replaced, unpadded", { precondition(!foundationEncoded(bytes).isEmpty) }),
                ]
            )
        )
    }

    private static func foundationDecoded(_ text: [UInt8]) -> Data? {
        var base64 = text.map {
            $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
        }
        while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(base64))
    }

    private static func foundationEncoded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .trimmingCharacters(in: CharacterSet(charactersIn: "="))
    }
}

#if compiler(>=6.3) && os(Linux)
    /// The loop of `Base64URL.decode` over Span.
    private enum SpanDecoder {
        static func decode(_ text: [UInt8]) -> [UInt8]? {
            let tail = text.count & 3
            guard tail != 1 else { return nil }
            var decoded = [UInt8](repeating: 0, count: text.count / 4 * 3 + (tail * 3) / 4)
            var target = decoded.mutableSpan
            let isSpelledRight = decode(text.span, by: values.span, into: &target)
            return isSpelledRight ? decoded : nil
        }

        private static func decode(
            _ source: Span<UInt8>,
            by values: Span<UInt32>,
            into target: inout MutableSpan<UInt8>
        ) -> Bool {
            let tail = source.count & 3
            var seen: UInt32 = 0
            var read = 0
            var written = 0
            while read &+ 4 <= source.count {
                let word =
                    values[unchecked: Int(source[unchecked: read])]
                    | values[unchecked: 256 &+ Int(source[unchecked: read &+ 1])]
                    | values[unchecked: 512 &+ Int(source[unchecked: read &+ 2])]
                    | values[unchecked: 768 &+ Int(source[unchecked: read &+ 3])]
                seen |= word
                target[unchecked: written] = UInt8(truncatingIfNeeded: word &>> 16)
                target[unchecked: written &+ 1] = UInt8(truncatingIfNeeded: word &>> 8)
                target[unchecked: written &+ 2] = UInt8(truncatingIfNeeded: word)
                read &+= 4
                written &+= 3
            }
            if tail > 0 {
                let third = tail == 3 ? values[512 + Int(source[read + 2])] : 0
                let word = values[Int(source[read])] | values[256 + Int(source[read + 1])] | third
                seen |= word
                target[written] = UInt8(truncatingIfNeeded: word >> 16)
                if tail == 3 { target[written + 1] = UInt8(truncatingIfNeeded: word >> 8) }
                guard word & (tail == 3 ? 0xFF : 0xFFFF) == 0 else { return false }
            }
            return seen < 0x8000_0000
        }

        private static let values: [UInt32] = {
            var values = [UInt32](repeating: 0x8000_0000, count: 4 * 256)
            let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            for (value, letter) in alphabet.utf8.enumerated() {
                for place in 0..<4 { values[place * 256 + Int(letter)] = UInt32(value) << UInt32(18 - 6 * place) }
            }
            return values
        }()
    }
#endif
