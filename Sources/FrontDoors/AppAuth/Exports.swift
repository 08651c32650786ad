// `import AppAuth` brings Foundation and the platform's views into a file: this import brings the same.
@_exported public import Foundation

#if canImport(UIKit)
    @_exported public import UIKit
#elseif canImport(AppKit)
    @_exported public import AppKit
#endif
