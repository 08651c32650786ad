public import Foundation
import SimulatedPlatform

extension FileManager {
    /// Foundation's own elsewhere: the same entitlement gives an app a group's items and its files
    /// (documentation/foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)).
    public func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? {
        SimulatedDevice.shared.container(ofGroup: group)
    }
}
