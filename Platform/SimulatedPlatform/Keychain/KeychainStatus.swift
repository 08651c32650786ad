/// The statuses that keychain calls return. (Security/SecBase.h)
public enum KeychainStatus {
    public static let success: Int32 = 0
    public static let param: Int32 = -50
    public static let userCanceled: Int32 = -128
    public static let notAvailable: Int32 = -25291
    public static let authFailed: Int32 = -25293
    public static let duplicateItem: Int32 = -25299
    public static let itemNotFound: Int32 = -25300
    public static let interactionNotAllowed: Int32 = -25308
    public static let missingEntitlement: Int32 = -34018
}
