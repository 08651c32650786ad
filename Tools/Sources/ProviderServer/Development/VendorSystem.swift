/// A vendor's system that the development provider can stand in for.
public enum VendorSystem: String, CaseIterable, Sendable {
    case curity, logi, logto, ssafy, zephr
}
