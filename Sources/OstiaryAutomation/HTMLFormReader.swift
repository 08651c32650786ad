/// Assembles the forms of a page from its tags, in the order of the page.
struct HTMLFormReader {
    private static let maximumForms = 64
    private static let maximumControls = 1_000

    private enum Open {
        case button(HTMLPage.Button, form: Int)
        case option(value: String?, isSelected: Bool)
        case textarea
    }

    private var forms: [HTMLPage.Form] = []
    private var identifiers: [String: Int] = [:]
    private var current: Int?
    private var refresh: (delay: Int, target: String)?
    /// The button, option or text area whose text is being read.
    private var open: Open?
    private var text = ""
    /// The list that is being read, and whether the page has selected an option of it.
    private var choice: (control: HTMLPage.Control, form: Int, isChosen: Bool, hasOption: Bool)?
    private var area: (control: HTMLPage.Control, form: Int)?
    private var controls = 0

    /// Controls that name their form before it appears.
    private var early: [(identifier: String, control: HTMLPage.Control?, button: HTMLPage.Button?)] = []

    mutating func take(_ token: HTMLTokenizer.Token) {
        switch token {
        case .text(let piece): if open != nil { text += piece }
        case .start(let name, let attributes): start(name, attributes)
        case .end(let name): end(name)
        }
    }

    mutating func finish() -> (forms: [HTMLPage.Form], refresh: (delay: Int, target: String)?) {
        for name in ["option", "select", "button", "textarea"] { end(name) }
        for item in early {
            guard let form = identifiers[item.identifier] else { continue }
            if let control = item.control { forms[form].controls.append(control) }
            if let button = item.button { forms[form].buttons.append(button) }
        }
        return (forms, refresh)
    }

    private mutating func start(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "form":
            guard forms.count < Self.maximumForms, current == nil else { return }
            if let identifier = attributes["id"] { identifiers[identifier] = forms.count }
            current = forms.count
            forms.append(
                HTMLPage.Form(action: attributes["action"] ?? "", method: (attributes["method"] ?? "get").lowercased())
            )
        case "meta": meta(attributes)
        case "input": input(attributes)
        case "button":
            end("button")
            guard (attributes["type"] ?? "submit").lowercased() == "submit", attributes["disabled"] == nil else {
                return
            }
            // The button is added to its form at its end tag, with its label; without a form (-1) it is dropped.
            open = .button(button(attributes, label: ""), form: form(of: attributes) ?? -1)
            text = ""
        case "select":
            end("select")
            guard let form = form(of: attributes), let control = control(.choice, attributes) else { return }
            choice = (control, form, false, false)
        case "option":
            end("option")
            guard choice != nil, attributes["disabled"] == nil else { return }
            open = .option(value: attributes["value"], isSelected: attributes["selected"] != nil)
            text = ""
        case "textarea":
            guard let form = form(of: attributes), let control = control(.other, attributes) else { return }
            area = (control, form)
            open = .textarea
            text = ""
        default: break
        }
    }

    private mutating func end(_ name: String) {
        switch (name, open) {
        case ("form", _): current = nil
        case ("button", .button(var button, let form)?):
            button.label = text
            open = nil
            if forms.indices.contains(form) { forms[form].buttons.append(button) }
        case ("option", .option(let value, let isSelected)?):
            open = nil
            guard var list = choice, isSelected && !list.isChosen || !list.hasOption else { return }
            // If the page selects none, the first option counts, as in a browser.
            list.control.value = value ?? String(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
            list.isChosen = isSelected
            list.hasOption = true
            choice = list
        case ("select", _):
            end("option")
            if let list = choice, list.hasOption { add(list.control, to: list.form) }
            choice = nil
        case ("textarea", .textarea?):
            open = nil
            guard var area else { return }
            area.control.value = text.hasPrefix("\r\n") || text.hasPrefix("\n") ? String(text.dropFirst()) : text
            add(area.control, to: area.form)
            self.area = nil
        default: break
        }
    }

    private mutating func input(_ attributes: [String: String]) {
        guard attributes["disabled"] == nil else { return }
        let type = (attributes["type"] ?? "text").lowercased()
        if type == "submit" || type == "image" {
            let button = button(attributes, label: attributes["alt"] ?? "")
            if let form = form(of: attributes) {
                forms[form].buttons.append(button)
            } else if let identifier = attributes["form"] {
                early.append((identifier, nil, button))
            }
            return
        }
        guard !["button", "reset", "file"].contains(type) else { return }
        let kinds: [String: HTMLPage.Control.Kind] = [
            "hidden": .hidden, "text": .text, "search": .other, "email": .email, "password": .password,
            "checkbox": .checkbox, "radio": .radio, "tel": .text,
        ]
        guard let control = control(kinds[type] ?? .other, attributes) else { return }
        if let form = form(of: attributes) {
            add(control, to: form)
        } else if let identifier = attributes["form"] {
            early.append((identifier, control, nil))
        }
    }

    private mutating func meta(_ attributes: [String: String]) {
        guard refresh == nil, attributes["http-equiv"]?.lowercased() == "refresh", let content = attributes["content"],
            let mark = content.firstIndex(where: { $0 == ";" || $0 == "," })
        else { return }
        let delay = Int(content[..<mark].filter(\.isNumber).prefix(6)) ?? 0
        let rest = content[content.index(after: mark)...].drop { $0 == " " }
        guard rest.lowercased().hasPrefix("url") else { return }
        let target = rest.dropFirst(3).drop { $0 == " " }
        guard target.hasPrefix("=") else { return }
        refresh = (delay, target.dropFirst().filter { $0 != "'" && $0 != "\"" && !$0.isWhitespace })
    }

    /// Returns the form that a tag belongs to: the form that it names, or the one around it.
    private func form(of attributes: [String: String]) -> Int? {
        if let identifier = attributes["form"] { return identifiers[identifier] }
        return current
    }

    private mutating func add(_ control: HTMLPage.Control, to form: Int) {
        guard controls < Self.maximumControls else { return }
        controls += 1
        forms[form].controls.append(control)
    }

    /// Makes a control; `nil` for one that a browser does not send: without a name, or disabled.
    private func control(_ kind: HTMLPage.Control.Kind, _ attributes: [String: String]) -> HTMLPage.Control? {
        guard let name = attributes["name"], !name.isEmpty, attributes["disabled"] == nil else { return nil }
        return HTMLPage.Control(
            kind: kind,
            name: name,
            value: attributes["value"] ?? (kind == .checkbox || kind == .radio ? "on" : ""),
            isChecked: attributes["checked"] != nil,
            isRequired: attributes["required"] != nil,
            purpose: (attributes["autocomplete"] ?? "").lowercased()
        )
    }

    private func button(_ attributes: [String: String], label: String) -> HTMLPage.Button {
        HTMLPage.Button(
            name: attributes["name"].flatMap { $0.isEmpty ? nil : $0 },
            value: attributes["value"] ?? "",
            label: label,
            action: attributes["formaction"],
            method: attributes["formmethod"]?.lowercased()
        )
    }
}
