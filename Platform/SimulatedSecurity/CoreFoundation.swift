import Foundation

// corelibs Foundation gives these classes the `as` bridging that the toll-free types have on Apple's platforms, so that
// `query as CFDictionary`, `kSecClass as String` and `result as? Data` mean the same here.
public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias CFArray = NSArray
public typealias CFData = NSData
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
public typealias CFError = NSError
public typealias OSStatus = Int32
public final class CFAllocator {}
public let kCFAllocatorDefault: CFAllocator! = nil
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
