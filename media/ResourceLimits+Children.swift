import Confinement
import Processes

/// The resource limits of the media processes.
extension ResourceLimits {
  /// For reading packets, which takes seconds for a whole film. The process writes only its answer and messages.
  static let probe = ResourceLimits(memory: 4 << 30, fileSize: 64 << 20, processorTime: 1800)
  /// For drawing text and pictures, which takes a few seconds.
  static let typeset = ResourceLimits(memory: 4 << 30, fileSize: 1 << 30, processorTime: 60)
  /// For making pictures as a render process does, at a few a second on a slow machine. Decoders may report a lack of
  /// memory as damage, so the limit is several times what the segments are expected to need.
  static let decode = ResourceLimits(
    memory: 8 << 30, fileSize: 0, processorTime: 7200, openFiles: 4096)
  /// For decoding one picture, of any codec and size that a chunk can have.
  static let picture = ResourceLimits(memory: 4 << 30, fileSize: 0, processorTime: 60)
  /// For making pictures of single frames, each of which may need decoding from a keyframe far before it.
  static let stills = ResourceLimits(
    memory: 8 << 30, fileSize: 4 << 30, processorTime: 7200, openFiles: 4096)
  /// For decoding sound, which takes well under a minute for an hour. An hour at changed speed that keeps its pitch
  /// takes about ten minutes, and six times that if its loudness is measured repeatedly.
  static let mix = ResourceLimits(memory: 4 << 30, fileSize: 16 << 30, processorTime: 28_800)
  /// For copying a few seconds of packets out of a chunk of up to several GiB, and for mixing and encoding their sound if
  /// the job follows a recording. This takes less than a second, and up to a minute of sound at another speed about ten.
  static let stream = ResourceLimits(memory: 4 << 30, fileSize: 1 << 30, processorTime: 60)
  /// For recording a source for up to a month. Copying it takes a few percent of a processor, and encoding its pictures up
  /// to four processors and, in 8K, 2 GiB.
  static let record = ResourceLimits(
    memory: 4 << 30, fileSize: 1 << 30, processorTime: 4 * 2_592_000)
  /// For making files of a recording.
  static let join = ResourceLimits(memory: 4 << 30, fileSize: 4 << 40, processorTime: 14400)
  /// For copying packets.
  static let assemble = ResourceLimits(
    memory: 4 << 30, fileSize: 4 << 40, processorTime: 14400)
}
