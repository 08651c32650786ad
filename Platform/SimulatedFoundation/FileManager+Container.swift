public import Foundation
import SimulatedPlatform

extension FileManager {
    /// The folder that the apps of a group share: the entitlement that also gives them a group's keychain items
    /// (documentation/foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)).
    public func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? {
        SimulatedDevice.shared.container(ofGroup: group)
    }
}
