/// One plane of a picture for reading, valid for the length of the call that lends it.
public struct Plane<Sample> {
  /// The first sample of the top row.
  public let base: UnsafePointer<Sample>
  /// Samples from one row to the next.
  public let stride: Int
  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int
}

/// One plane of a picture for writing, valid for the length of the call that lends it.
public struct MutablePlane<Sample> {
  /// The first sample of the top row.
  public let base: UnsafeMutablePointer<Sample>
  /// Samples from one row to the next.
  public let stride: Int
  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int
}
