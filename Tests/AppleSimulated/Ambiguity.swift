import SimulatedPlatform
import SimulatedWorld
import Testing

/// Every combination of what the documentation of a web authentication session leaves open.
struct Ambiguity: Sendable, CustomTestStringConvertible {
    let reportsOffMain: Bool
    let reportsAfterCancel: Bool
    let reportsFailedStart: Bool
    let reportsTwice: Bool

    static let all = [true, false].flatMap { offMain in
        [true, false].flatMap { afterCancel in
            [true, false].flatMap { failedStart in
                [true, false].map {
                    Ambiguity(
                        reportsOffMain: offMain,
                        reportsAfterCancel: afterCancel,
                        reportsFailedStart: failedStart,
                        reportsTwice: $0
                    )
                }
            }
        }
    }

    var testDescription: String {
        "off main \(reportsOffMain), after cancel \(reportsAfterCancel), failed start \(reportsFailedStart), "
            + "twice \(reportsTwice)"
    }

    func apply() {
        device.with {
            $0.ambiguities.webSessionReportsOffMain = reportsOffMain
            $0.ambiguities.webSessionReportsAfterCancel = reportsAfterCancel
            $0.ambiguities.webSessionReportsFailedStart = reportsFailedStart
            $0.ambiguities.webSessionReportsTwice = reportsTwice
        }
    }
}
