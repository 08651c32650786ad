import OstiaryOAuth

extension FuzzTarget {
    /// A form body or a query.
    static let form = FuzzTarget(name: "form") { bytes in
        let value = text(bytes)
        demand(
            FormURLEncoding.unescape(FormURLEncoding.escape(value)) == value,
            "what is escaped is unescaped as it was"
        )
        if let plain = FormURLEncoding.unescape(value) {
            demand(FormURLEncoding.unescape(FormURLEncoding.escape(plain)) == plain, "and the other way round")
        }
        let limits = (bytes: 2048, pairs: 16)
        guard let form = FormURLEncoding.decode(value, maximumBytes: limits.bytes, maximumPairs: limits.pairs) else {
            return
        }
        demand(value.utf8.count <= limits.bytes, "nothing longer than the limit is read")
        demand(form.pairs.count <= limits.pairs, "no more pairs than the limit are read")
        let fields = value.utf8.split(separator: UInt8(ascii: "&"))
        demand(form.pairs.count == fields.count, "every ampersand separates, whatever follows it")
        for (pair, field) in zip(form.pairs, fields) {
            let name = field.prefix { $0 != UInt8(ascii: "=") }
            let read = FormURLEncoding.unescape(String(decoding: name, as: UTF8.self))
            demand(
                read.map { $0.utf8.elementsEqual(pair.name.rawValue.utf8) } == true,
                "the first equals sign ends the name"
            )
        }
        let written = FormURLEncoding.encode(form)
        demand(FormURLEncoding.decode(written) == form, "what is written is read as the same")
        for name in form.names { demand(form[name] == form.values(of: name).first, "a parameter is found by its name") }
    }
}
