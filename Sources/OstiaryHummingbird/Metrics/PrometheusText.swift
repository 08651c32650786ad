#if Hummingbird
    /// Writes the text exposition format 0.0.4 of Prometheus.
    struct PrometheusText {
        enum Kind: String, Sendable {
            case counter, gauge, histogram
        }

        private(set) var text = ""

        mutating func begin(_ family: String, _ kind: Kind) { text += "# TYPE \(family) \(kind.rawValue)\n" }

        mutating func line(_ name: String, _ labels: String, _ value: Double) {
            text += name + (labels.isEmpty ? "" : "{\(labels)}") + " \(Self.number(value))\n"
        }

        /// Returns a name that Prometheus accepts: letters, digits, `_` and `:`.
        static func name(_ label: String) -> String {
            let bytes = label.utf8.prefix(200).map { byte -> UInt8 in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                    byte
                default: UInt8(ascii: "_")
                }
            }
            let name = String(decoding: bytes, as: UTF8.self)
            return name.first.map { $0.isNumber } ?? true ? "_" + name : name
        }

        /// A label's value with its escapes, at most 200 characters of it.
        static func escaped(_ value: String) -> String {
            value.unicodeScalars.prefix(200).map { scalar in
                switch scalar {
                case "\\": "\\\\"
                case "\"": "\\\""
                case "\n": "\\n"
                default: String(scalar)
                }
            }.joined()
        }

        static func number(_ value: Double) -> String {
            if value == .infinity { return "+Inf" }
            if value == -.infinity { return "-Inf" }
            if value.isNaN { return "NaN" }
            return Int(exactly: value).map(String.init) ?? "\(value)"
        }
    }
#endif
