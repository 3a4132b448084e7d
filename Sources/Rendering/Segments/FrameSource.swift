import Media
import Planning
import Timeline

/// Makes a segment's output frames for any sample type.
///
/// It has a case for each sample type instead of using a protocol, because the compiler specializes generic code only
/// for calls that it sees, and it sees none through an existential: blending a frame then took some 60 ms instead of 2.
package struct FrameSource {
  private enum Composer {
    case bytes(FrameComposer<UInt8>)
    case words(FrameComposer<UInt16>)
  }

  private let composer: Composer

  /// Creates the source for a validated segment.
  fileprivate init(
    _ segment: SegmentDescription, damage: DamageLog, kept: KeptReaders,
    open: @escaping (SourceStream) throws -> any ByteSource
  ) throws {
    composer =
      segment.workingFormat?.bitDepth == 10
      ? .words(try FrameComposer(segment, damage: damage, kept: kept, open: open))
      : .bytes(try FrameComposer(segment, damage: damage, kept: kept, open: open))
  }

  /// The output frame with a number in `segment.first ..< segment.end`; valid until the next call.
  package func frame(_ number: Int) throws -> Frame {
    switch composer {
    case .bytes(let composer): try composer.frame(number)
    case .words(let composer): try composer.frame(number)
    }
  }
}

extension SegmentDescription {
  /// The color space that layers are composited in and output is in.
  package var colorSpace: ColorSpace {
    workingFormat.map { ColorSpace($0.color, size: renderSize) } ?? .standard(size: renderSize)
  }

  /// Creates a composer for the bit depth of the working format.
  ///
  /// - Parameters:
  ///   - damage: records the damaged frames that are shown.
  ///   - kept: the readers of earlier segments.
  package func composer(
    damage: DamageLog = DamageLog(), kept: KeptReaders = KeptReaders(),
    open: @escaping (SourceStream) throws -> any ByteSource
  ) throws -> FrameSource { try FrameSource(self, damage: damage, kept: kept, open: open) }
}
