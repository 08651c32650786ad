// The module of logi's SDK: the vendor's document begins with `import LogiAuth`, and uses Foundation's `URL` with no
// other import. The type `LogiAuth` hides the module's name, as it does in the vendor's SDK: other types are written
// without it.
@_exported public import Foundation
@_exported public import OstiaryLogi
