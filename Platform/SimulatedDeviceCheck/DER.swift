import Foundation

/// The values of a certificate. (ITU-T X.690)
enum DER {
    static func sequence(_ parts: Data...) -> Data { tagged(0x30, parts.reduce(Data(), +)) }
    static func set(_ parts: Data...) -> Data { tagged(0x31, parts.reduce(Data(), +)) }
    static func octets(_ bytes: Data) -> Data { tagged(0x04, bytes) }
    static func bits(_ bytes: Data) -> Data { tagged(0x03, Data([0]) + bytes) }
    static func utf8(_ text: String) -> Data { tagged(0x0C, Data(text.utf8)) }
    static func time(_ text: String) -> Data { tagged(0x18, Data(text.utf8)) }
    static func boolean(_ value: Bool) -> Data { tagged(0x01, Data([value ? 0xFF : 0])) }
    static func integer(_ number: UInt8) -> Data { tagged(0x02, Data([number])) }
    static func context(_ number: UInt8, _ content: Data) -> Data { tagged(0xA0 | number, content) }

    static func identifier(_ numbers: [UInt64]) -> Data {
        var content = Data([UInt8(numbers[0] * 40 + numbers[1])])
        for number in numbers.dropFirst(2) {
            var digits = [UInt8(number & 0x7F)]
            var rest = number >> 7
            while rest > 0 {
                digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            content += Data(digits)
        }
        return tagged(0x06, content)
    }

    private static func tagged(_ tag: UInt8, _ content: Data) -> Data {
        switch content.count {
        case ..<0x80: Data([tag, UInt8(content.count)]) + content
        case ..<0x100: Data([tag, 0x81, UInt8(content.count)]) + content
        default: Data([tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]) + content
        }
    }
}
