import Recording

/// Is told what becomes of a recording. The calls come from the recording's own thread, one after the other.
public protocol RecordingWriterDelegate: AnyObject, Sendable {
  /// A fragment is complete on the disk. Before the first one, the header is.
  func recordingWriter(_ writer: RecordingWriter, didWrite fragment: RecordedFragment)
  /// The recording failed. The fragments that were written before remain.
  func recordingWriter(_ writer: RecordingWriter, didFailWith error: any Error)
  /// Everything is on the disk.
  func recordingWriterDidFinish(_ writer: RecordingWriter)
}

extension RecordingWriterDelegate {
  /// Does nothing.
  public func recordingWriter(_ writer: RecordingWriter, didWrite fragment: RecordedFragment) {}
  /// Does nothing.
  public func recordingWriter(_ writer: RecordingWriter, didFailWith error: any Error) {}
  /// Does nothing.
  public func recordingWriterDidFinish(_ writer: RecordingWriter) {}
}
