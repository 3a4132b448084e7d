/// The format of the pictures that a video device delivers.
public struct CapturedVideoFormat: Hashable, Sendable {
  /// How the bytes of a picture represent it.
  public enum Coding: Hashable, Sendable {
    /// H.264 in Annex B.
    case h264
    /// A JPEG image (Motion JPEG).
    case jpeg
    /// Samples without compression.
    case raw(RawLayout)
  }

  /// The order in which the two fields of an interlaced picture were captured.
  public enum FieldOrder: Hashable, Sendable {
    /// The picture is progressive.
    case progressive
    /// The field that begins with the first line comes first.
    case topFirst
    /// The field that begins with the second line comes first.
    case bottomFirst
  }

  /// The range of the samples.
  public enum Range: Hashable, Sendable { case full, limited }

  /// The coefficients by which luma and chroma are computed.
  public enum Matrix: Hashable, Sendable { case bt601, bt709, bt2020, unknown }

  /// How the bytes of a picture represent it.
  public let coding: Coding
  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// The distance between the lines of the first plane of a raw picture; 0 if it is compressed. Those of other planes
  /// follow from it, as ``RawLayout`` describes.
  public let bytesPerLine: Int
  /// The bytes of a raw picture: those that are not damaged have at least this many. 0 if it is compressed.
  public let size: Int
  /// The order of the fields.
  public let fieldOrder: FieldOrder
  /// The interval between pictures in seconds; `nil` if the device does not state it.
  public let frameInterval: Fraction?
  /// The range of the samples.
  public let range: Range
  /// The coefficients by which luma and chroma are computed.
  public let matrix: Matrix

  /// Whether a picture consists of two fields.
  public var isInterlaced: Bool { fieldOrder != .progressive }
}
