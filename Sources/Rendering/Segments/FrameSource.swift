import Media
import Planning
import Timeline

/// What makes a segment's output frames, whatever their samples are held in.
package protocol FrameSource {
  /// The output frame of a number, `segment.first ..< segment.end`; valid until the next.
  func frame(_ number: Int) throws -> Frame
}

extension SegmentDescription {
  /// The colour space that layers are composited in and output is in.
  package var colourSpace: ColourSpace {
    workingFormat.map { ColourSpace($0.colour, size: renderSize) } ?? .standard(size: renderSize)
  }

  /// A composer for the bits of the working format.
  package func composer(
    open: @escaping (SourceStream) throws -> any ByteSource
  ) throws -> any FrameSource {
    workingFormat?.bitDepth == 10
      ? try FrameComposer<UInt16>(self, open: open) : try FrameComposer<UInt8>(self, open: open)
  }
}
