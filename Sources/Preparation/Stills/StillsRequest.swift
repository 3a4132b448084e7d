import Planning
import Timeline

/// A request to `stills`, which makes pictures of output frames.
package struct StillsRequest: Hashable, Codable, Sendable {
  /// Frames of one segment.
  package struct Frames: Hashable, Codable, Sendable {
    package var segment: SegmentDescription
    /// The numbers of the output frames, ascending.
    package var numbers: [Int]

    package init(segment: SegmentDescription, numbers: [Int]) {
      self.segment = segment
      self.numbers = numbers
    }
  }

  /// The picture to make of the frames.
  package enum Form: Hashable, Codable, Sendable {
    /// A picture of the only frame, at full size.
    case picture
    /// A sheet of all frames, with a label beneath each.
    case sheet(SheetLayout, labels: [String])
  }

  /// The frames, in order.
  package var frames: [Frames]
  /// How players show the file's pictures.
  package var display: PictureDisplay
  /// The assets' files, by hexadecimal digest.
  package var files: [String: AssetFile]
  /// The picture to make of the frames.
  package var form: Form
  /// The format of the file to write.
  package var format: StillFormat
  /// The file to write, in a folder that only this request names.
  package var output: String

  package init(
    frames: [Frames], display: PictureDisplay, files: [String: AssetFile], form: Form,
    format: StillFormat, output: String
  ) {
    self.frames = frames
    self.display = display
    self.files = files
    self.form = form
    self.format = format
    self.output = output
  }

  package var frameCount: Int { frames.reduce(0) { $0 + $1.numbers.count } }
}

/// The format of a still picture's file.
package enum StillFormat: String, Hashable, Codable, Sendable, CaseIterable {
  /// Lossless.
  case png = "png"
  /// Lossy and small.
  case jpeg = "jpeg"
}
