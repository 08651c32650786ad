// Embedded Swift, as scripts/check-32-bit.sh uses it, has no reflection.
#if !hasFeature(Embedded)
    extension JSONObject: CustomStringConvertible, CustomReflectable {
        /// The names of the members; their values may be about a user.
        public var description: String { "JSONObject(\(names.map(\.debugDescription).joined(separator: ", ")))" }
        /// The names of the members.
        public var customMirror: Mirror { Mirror(self, children: ["names": names]) }
    }
#endif
