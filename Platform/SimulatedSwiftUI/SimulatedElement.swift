/// An element that a user meets on the screen, or by VoiceOver.
public struct SimulatedElement {
    public enum Kind: String, Sendable {
        case text, button, link, image, progress, textField, secureField, toggle, picker
        case stack, list, form, section, navigation, alert, dialog, sheet, platformView, spacer, tab
    }

    /// The description of an element for VoiceOver.
    public struct Accessibility {
        public var label: String?
        public var hint: String?
        public var value: String?
        public var identifier: String?
        public var traits: AccessibilityTraits = []
        public var isHidden = false
        public var ignoresChildren = false
    }

    public var kind: Kind
    /// The words that stand there.
    public var text = ""
    public var accessibility = Accessibility()
    public var isEnabled = true
    public var role: ButtonRole?
    /// The size and drawing of text in force here.
    public var environment: EnvironmentValues
    public var children: [SimulatedElement] = []
    /// Modifiers that only change the look, by name.
    public var looks: [String] = []
    var action: (@MainActor () -> Void)?
    var edit: (@MainActor (String) -> Void)?

    init(_ kind: Kind, _ text: String = "", in scope: SimulatedScope, children: [SimulatedElement] = []) {
        self.kind = kind
        self.text = text
        self.children = children
        environment = scope.environment
        isEnabled = scope.environment.isEnabled
    }

    /// This element and everything in it, in the order of reading.
    public var all: [SimulatedElement] { [self] + children.flatMap(\.all) }

    /// The words of this element and of everything in it.
    public var words: String {
        (text.isEmpty ? [] : [text]).appending(children.map(\.words)).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The text that VoiceOver reads: the label that was given, or else the words.
    public var spokenLabel: String { accessibility.label ?? words }
}

extension [String] {
    fileprivate func appending(_ others: [String]) -> [String] { self + others }
}
