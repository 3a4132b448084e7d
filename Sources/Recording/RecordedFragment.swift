import Crypto
import Timeline

/// A piece of a part that is complete on disk: a file with whole groups of samples.
public struct RecordedFragment: Hashable, Codable, Sendable {
  /// Its number in its part of the recording, from 1 on.
  public var number: Int
  /// The start of its first picture, in seconds from the start of its part; without video, that of its first sample.
  public var start: RationalTime
  /// The end of its last picture, in seconds from the start of its part; without video, that of its last sample.
  public var end: RationalTime
  /// The size of its file in bytes.
  public var byteCount: Int
  /// The SHA-256 of its file.
  public var sha256: Digest
  /// The number of samples, for each track.
  public var sampleCounts: [Int]
  /// Whether decoding can start at its first picture.
  public var beginsWithKeyframe: Bool
  /// The gaps before it and in it, on all tracks.
  public var gaps: [RecordingGap]

  /// Creates a fragment.
  public init(
    number: Int, start: RationalTime, end: RationalTime, byteCount: Int, sha256: Digest,
    sampleCounts: [Int], beginsWithKeyframe: Bool, gaps: [RecordingGap]
  ) {
    self.number = number
    self.start = start
    self.end = end
    self.byteCount = byteCount
    self.sha256 = sha256
    self.sampleCounts = sampleCounts
    self.beginsWithKeyframe = beginsWithKeyframe
    self.gaps = gaps
  }

  /// The name of its file, such as `00000001.m4s`, in the folder of its part.
  public var fileName: String { Self.fileName(number) }

  /// The name of the file of the fragment with a number.
  public static func fileName(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits + ".m4s"
  }

  /// The number of the fragment whose file has this name; `nil` if it is not the name of a fragment's file.
  public static func number(ofFile name: String) -> Int? {
    guard name.hasSuffix(".m4s"), let number = Int(name.dropLast(4)), fileName(number) == name
    else { return nil }
    return number
  }

  /// The name of the file with the header that all fragments of a part share.
  public static let headerName = "header.mp4"
}
