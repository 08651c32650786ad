import OstiaryJOSE

extension FuzzTarget {
    /// A JSON text.
    static let json = FuzzTarget(name: "json") { bytes in
        let limits = JSONLimits(maximumBytes: 2048, maximumDepth: 6, maximumMembers: 64)
        // The same text a level deeper is read by other code.
        let wrapped = Array("{\"x\":".utf8) + bytes + Array("}".utf8)
        let wider = JSONLimits(maximumBytes: 2048 + 6, maximumDepth: 7, maximumMembers: 65)
        let outer = try? JSONObject(parsing: wrapped, limits: wider)
        let inner = outer?.count == 1 ? outer?["x"]?.object : nil
        let isWrappable = bytes.count <= limits.maximumBytes
        demand(!isWrappable || inner == (try? JSONObject(parsing: bytes, limits: limits)), "both readings agree")
        guard let object = try? JSONObject(parsing: bytes, limits: limits) else {
            do { _ = try JSONObject(parsing: bytes, limits: limits) } catch { demandDiscreet(error) }
            return
        }
        demand(bytes.count <= limits.maximumBytes, "nothing longer than the limit is read")
        let measured = measure(.object(object))
        demand(measured.depth <= limits.maximumDepth, "nothing deeper than the limit is read")
        demand(measured.values <= limits.maximumMembers, "no more values than the limit are read")
        let written = object.encoded()
        let again = try? JSONObject(parsing: written, limits: JSONLimits())
        demand(again == object, "what is written is read as the same")
        demand(again?.encoded() == written, "what is read is written as the same")
        demand(again?.hashValue == object.hashValue, "what is equal has one hash")
        demand(Set(object.names.map { Array($0.utf8) }).count == object.count, "no name is there twice")
        for member in object.members {
            demand(object[member.name] == member.value, "a member is found by its name")
        }
        for removed in object.names {
            var fewer = object
            fewer[removed] = nil
            demand(fewer.count == object.count - 1 && fewer[removed] == nil, "a member can be removed")
        }
    }

    private static func measure(_ value: JSONValue) -> (depth: Int, values: Int) {
        let children = value.array ?? value.object?.members.map(\.value)
        guard let children else { return (0, 1) }
        return children.map(measure).reduce((1, 1)) { (max($0.depth, $1.depth + 1), $0.values + $1.values) }
    }
}
