import ProjectDoctor

extension RuleCase {
    private static let file = "association.json"
    private static let good = #""webcredentials": {"apps": ["ABCDE12345.com.example.reader"]}"#
    private static let url = "https://reader.example.com/.well-known/apple-app-site-association"

    private static func fetched(from url: String = url, _ status: Int?, _ type: String? = "application/json")
        -> AssociationFile
    {
        AssociationFile(.fetched(url: url, status: status, mediaType: type), bytes: Array("{\(good)}".utf8))
    }

    private static func links(_ detail: String) -> String { #"{"applinks": {"details": [\#(detail)]}, \#(good)}"# }

    private static func path(_ detail: String, _ key: String) -> RuleCase {
        RuleCase("association-path", file, key: key, fix: "/callback") { $0.associate(links(detail)) }
    }

    static let association = [
        RuleCase("association-unknown", nil, key: "--association", fix: "--association " + url) {
            $0.context.association = nil
        },
        RuleCase("association-transport", url) { $0.context.association = fetched(301) },
        RuleCase("association-transport", url) { $0.context.association = fetched(404) },
        RuleCase("association-transport", url, fix: "application/json") {
            $0.context.association = fetched(200, "text/plain")
        },
        RuleCase("association-transport", url + ".json", fix: url) {
            $0.context.association = fetched(from: url + ".json", 200)
        },
        RuleCase("association-transport", "http" + url.dropFirst(5), fix: url) {
            $0.context.association = fetched(from: "http" + url.dropFirst(5), nil)
        },
        RuleCase("association-host", url.replacing("reader.", with: "www."), fix: url) {
            $0.context.association = fetched(from: url.replacing("reader.", with: "www."), 200)
        },
        RuleCase("association-size", file) {
            $0.associate("{\(good)}" + String(repeating: " ", count: AssociationFile.maximumBytes))
        },
        RuleCase("association-size", url) {
            $0.context.association = AssociationFile(
                .fetched(url: url, status: 200, mediaType: "application/json"),
                bytes: nil
            )
        },
        RuleCase("association-form", file) { $0.associate("<html>") },
        RuleCase("association-form", file) { $0.associate(#"{"webcredentials": {}, "webcredentials": {}}"#) },
        RuleCase("association-form", file) { $0.associate(#"{"webcredentials": ["ABCDE12345.com.example.reader"]}"#) },
        RuleCase("association-form", file) {
            $0.associate(String(repeating: #"{"a":"#, count: 100) + "1" + String(repeating: "}", count: 100))
        },
        RuleCase(
            "app-id-unknown",
            [
                (Sample.xcode, "B00000000000000000000001 /* Reader */ = {", nil),
                (Sample.xcode, "B00000000000000000000003 /* ReaderMac */ = {", nil),
            ],
            fix: "--team"
        ) { try $0.replace("Config/Shared.xcconfig", "DEVELOPMENT_TEAM", "TEAM") },
        RuleCase(
            "association-webcredentials",
            file,
            key: "webcredentials.apps",
            fix: #""ABCDE12345.com.example.reader""#
        ) {
            $0.associate(#"{"webcredentials": {"apps": ["ABCDE12345.com.example.other"]}}"#)
        },
        RuleCase("association-webcredentials", file, key: "webcredentials.apps", fix: #""webcredentials": {"apps""#) {
            $0.associate(#"{"applinks": {"details": []}}"#)
        },
        RuleCase("association-webcredentials", file, key: "webcredentials.apps") { $0.context.team = "ZZZZZ99999" },
        RuleCase("association-applinks", file, key: "applinks.details", fix: #""components": [{"/": "/callback"}]"#) {
            $0.associate(links(#"{"appIDs": ["ABCDE12345.com.example.other"], "components": [{"/": "*"}]}"#))
        },
        path(
            #"{"appIDs": ["ABCDE12345.com.example.reader"], "components": [{"/": "/call"}]}"#,
            "applinks.details[0].components"
        ),
        path(
            #"{"appID": "ABCDE12345.com.example.reader", "components": [{"/": "/call*", "exclude": true}, {"/": "*"}]}"#,
            "applinks.details[0].components"
        ),
        path(
            #"{"appID": "ABCDE12345.com.example.reader", "components": [{"/": "*", "?": {"shop": "?*"}}]}"#,
            "applinks.details[0].components"
        ),
        path(
            ##"{"appID": "ABCDE12345.com.example.reader", "components": [{"#": "?*"}]}"##,
            "applinks.details[0].components"
        ),
        path(
            #"{"appID": "ABCDE12345.com.example.reader", "paths": ["NOT /callback", "*"]}"#,
            "applinks.details[0].paths"
        ),
        RuleCase("association-app-id", file, key: "webcredentials.apps[0]", fix: #""ABCDE12345.com.example.reader""#) {
            $0.associate(#"{"webcredentials": {"apps": ["com.example.reader"]}}"#)
        },
        RuleCase("association-component", file, key: "applinks.details[0].components", fix: #""/callback""#) {
            $0.associate(links(#"{"appIDs": ["ABCDE12345.com.example.reader"], "components": [{"/": "callback"}]}"#))
        },
        RuleCase("association-component", file, key: "applinks.details[0].components") {
            $0.associate(links(#"{"appIDs": ["ABCDE12345.com.example.reader"], "components": [{"/": "/#/callback"}]}"#))
        },
        RuleCase("association-old", file, key: "applinks.details[0].paths") {
            $0.associate(links(#"{"appID": "ABCDE12345.com.example.reader", "paths": ["/callback"]}"#))
        },
    ]
}
