import Recording

/// Receives the progress of a recording. All calls come from the recording's own thread.
public protocol RecordingWriterDelegate: AnyObject, Sendable {
  /// A fragment is complete on disk. The header is complete before the first fragment.
  func recordingWriter(_ writer: RecordingWriter, didWrite fragment: RecordedFragment)
  /// The recording failed. The fragments that were written before remain.
  func recordingWriter(_ writer: RecordingWriter, didFailWith error: any Error)
  /// Everything is on disk.
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
