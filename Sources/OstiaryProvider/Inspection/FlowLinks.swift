/// The flows that codes, tokens and pages belong to, by digests alone.
struct FlowLinks: Sendable {
    /// The largest number of digests that it keeps.
    private let capacity: Int
    private var flows: [SecretDigest: Int] = [:]
    private var order: [SecretDigest] = []
    /// The number of digests at the start of the order that are forgotten.
    private var forgotten = 0

    init(capacity: Int) { self.capacity = capacity }

    /// The flow of the first of the handles that has one; `nil` for none.
    func flow(of handles: [String]) -> Int? { handles.lazy.compactMap { flows[SecretDigest($0)] }.first }

    /// Remembers that handles belong to a flow; the oldest ones are forgotten.
    mutating func link(_ handles: [String], to flow: Int) {
        for handle in handles {
            let digest = SecretDigest(handle)
            if flows.updateValue(flow, forKey: digest) == nil { order.append(digest) }
        }
        while flows.count > capacity {
            flows[order[forgotten]] = nil
            forgotten += 1
        }
        // Seldom, so that one exchange in many pays for it.
        if forgotten >= capacity {
            order.removeFirst(forgotten)
            forgotten = 0
        }
    }

    mutating func clear() {
        flows = [:]
        order = []
        forgotten = 0
    }
}
