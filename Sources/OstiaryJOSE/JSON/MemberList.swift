/// The members of an object, in order, each name once.
struct MemberList: Sendable {
    private(set) var storage: [Member] = []
    /// The position of every name, kept once a search through `storage` would be slower.
    private var index: [CodePoints: Int]?
    /// One bit for each 64th of the fingerprints that were added: a name whose bit is missing is new.
    private var seen: UInt64 = 0

    struct Member: Sendable {
        let name: String
        var value: JSONValue
        let fingerprint: NameFingerprint

        init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
            fingerprint = NameFingerprint(name)
        }
    }

    init() {}

    init(capacity: Int) { storage.reserveCapacity(capacity) }

    /// The value of a member; setting `nil` removes it, and a new name is added at the end.
    subscript(_ name: String) -> JSONValue? {
        get { value(of: MemberName(name)) }
        set {
            switch (position(of: name, NameFingerprint(name)), newValue) {
            case (let position?, let value?): storage[position].value = value
            case (let position?, nil):
                storage.remove(at: position)
                index = nil
                indexIfLarge()
            case (nil, let value?): add(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The value of a member.
    func value(of name: MemberName) -> JSONValue? {
        position(of: name.text, name.fingerprint).map { storage[$0].value }
    }

    /// Adds a member; returns whether the name is new.
    mutating func append(_ name: String, _ value: JSONValue) -> Bool {
        let member = Member(name: name, value: value)
        if index != nil || seen & member.fingerprint.bit != 0 {
            guard position(of: name, member.fingerprint) == nil else { return false }
        }
        add(member)
        return true
    }

    private mutating func add(_ member: Member) {
        index?[CodePoints(member.name)] = storage.count
        seen |= member.fingerprint.bit
        storage.append(member)
        indexIfLarge()
    }

    private func position(of name: String, _ fingerprint: NameFingerprint) -> Int? {
        if let index { return index[CodePoints(name)] }
        for position in storage.indices where storage[position].fingerprint == fingerprint {
            if storage[position].name.hasSameCodePoints(as: name) { return position }
        }
        return nil
    }

    private mutating func indexIfLarge() {
        guard index == nil, storage.count > JSONObject.linearLimit else { return }
        index = Dictionary(uniqueKeysWithValues: storage.enumerated().map { (CodePoints($1.name), $0) })
    }
}

/// A name to look up, with its fingerprint: a name that every token is asked for is made once.
struct MemberName: Sendable {
    let text: String
    let fingerprint: NameFingerprint

    init(_ text: String) {
        self.text = text
        fingerprint = NameFingerprint(text)
    }
}

/// A number that differs for most different names, so that a search compares numbers and few strings.
///
/// Names that are made to collide cost no more than the comparison of strings that it saves.
struct NameFingerprint: Equatable, Sendable {
    private(set) var value: UInt64 = 0

    init() {}

    init(_ name: String) {
        value = name.withElements { bytes in
            var fingerprint = NameFingerprint()
            for position in 0..<bytes.count { fingerprint.add(bytes[position]) }
            return fingerprint.value
        }
    }

    mutating func add(_ byte: UInt8) { value = (value &<< 7 | value &>> 57) ^ UInt64(byte) }

    /// One of 64 bits, chosen by the whole fingerprint.
    var bit: UInt64 { 1 &<< ((value &* 0x9E37_79B9_7F4A_7C15) &>> 58) }
}
