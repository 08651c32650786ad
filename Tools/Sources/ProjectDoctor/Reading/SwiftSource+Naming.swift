/// The names of literals in the code.
extension SwiftSource {
    /// Returns the name before a literal: of the argument, the variable, the dictionary key, or the query item.
    ///
    /// Wrappers such as `URL(string: "…")` and `RedirectURI("…")` are skipped; `nil` where there is no name.
    func name(of literal: Literal) -> String? {
        var place = literal.range.lowerBound
        for _ in 0..<4 {
            place = skippingBlank(before: place)
            guard place > 0 else { return nil }
            switch code[place - 1] {
            case UInt8(ascii: ":"):
                let end = skippingBlank(before: place - 1)
                if let key = literals.first(where: { $0.range.upperBound == end }) { return key.text }
                guard let label = word(before: end) else { return nil }
                switch label.text {
                case "string", "stringLiteral", "rawValue":
                    guard let callee = callee(before: label.start) else { return nil }
                    place = callee.start
                case "value":
                    return nameOfItem(before: literal) ?? label.text
                default: return label.text
                }
            case UInt8(ascii: "="):
                guard place > 1, !"=!<>+".utf8.contains(code[place - 2]) else { return nil }
                return variable(before: place - 1)
            case UInt8(ascii: "("):
                guard let callee = callee(before: place) else { return nil }
                if !Self.wrappers.contains(callee.text) { return callee.text }
                place = callee.start
            default:
                // `try URL(…)` and `return URL(…)`: what is before the word decides, if anything does.
                guard let word = word(before: place), ["try", "await"].contains(word.text) else { return nil }
                place = word.start
            }
        }
        return nil
    }

    /// The calls that only convert a string to another type.
    private static let wrappers: Set<String> = [
        "URL", "NSURL", "RedirectURI", "URLComponents", "init", "Issuer", "Secret",
    ]

    /// `.init(name: "redirect_uri", value: "…")`: the name of the item.
    private func nameOfItem(before literal: Literal) -> String? {
        guard let index = literals.firstIndex(of: literal), index > 0 else { return nil }
        let item = literals[index - 1]
        guard literal.range.lowerBound - item.range.upperBound < 40, name(of: item) == "name" else { return nil }
        return item.text
    }

    private func skippingBlank(before place: Int) -> Int {
        var place = place
        while place > 0, code[place - 1].isWhitespace || "!?".utf8.contains(code[place - 1]) { place -= 1 }
        return place
    }

    private func word(before place: Int) -> (text: String, start: Int)? {
        var start = place
        while start > 0, code[start - 1].isOfName { start -= 1 }
        guard start < place else { return nil }
        return (String(decoding: code[start..<place], as: UTF8.self), start)
    }

    /// The word before a parenthesis that stands before a place; a dot before the word belongs to it.
    private func callee(before place: Int) -> (text: String, start: Int)? {
        var end = skippingBlank(before: place)
        guard end > 0, code[end - 1] == UInt8(ascii: "(") else { return nil }
        end = skippingBlank(before: end - 1)
        guard var word = word(before: end) else { return nil }
        if word.start > 0, code[word.start - 1] == UInt8(ascii: ".") { word.start -= 1 }
        return word
    }

    /// The variable that is given a value, with or without a type.
    private func variable(before place: Int) -> String? {
        let line = codeLine(line(at: place))
        let head = String(line.prefix { $0 != "=" })
        let name = head.split(separator: ":").first.map(String.init) ?? head
        return name.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.last.map(String.init)
    }
}

extension SwiftSource {
    /// The places of two words that stand in the same literal of an array or a dictionary.
    func places(of first: String, besideIn list: String) -> [Int] {
        let others = (words[list] ?? []).map(openingBracket(before:))
        return (words[first] ?? []).filter { place in
            openingBracket(before: place).map { bracket in others.contains(bracket) } ?? false
        }
    }

    /// The innermost bracket that is open at a place.
    private func openingBracket(before place: Int) -> Int? {
        var depth = 0
        var position = place - 1
        while position >= 0, place - position < 4_096 {
            switch code[position] {
            case UInt8(ascii: "]"): depth += 1
            case UInt8(ascii: "["):
                if depth == 0 { return position }
                depth -= 1
            default: break
            }
            position -= 1
        }
        return nil
    }
}
