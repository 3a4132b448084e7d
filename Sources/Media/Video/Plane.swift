/// One plane of a picture for reading, valid for the length of the call that lends it.
public struct Plane {
  /// The first byte of the top row.
  public let base: UnsafePointer<UInt8>
  /// Bytes from one row to the next.
  public let stride: Int
  /// Samples in a row.
  public let width: Int
  /// Rows.
  public let height: Int
}

/// One plane of a picture for writing, valid for the length of the call that lends it.
public struct MutablePlane {
  /// The first byte of the top row.
  public let base: UnsafeMutablePointer<UInt8>
  /// Bytes from one row to the next.
  public let stride: Int
  /// Samples in a row.
  public let width: Int
  /// Rows.
  public let height: Int
}
