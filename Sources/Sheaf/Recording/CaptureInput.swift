import Media

/// The capture devices that a ``CapturedSource`` reads. Blocks; not thread-safe.
package protocol CaptureInput: AnyObject {
  /// The format of each stream. Known once ``open(while:)`` has returned `true`.
  var formats: [CapturedFormat] { get }
  /// Makes the devices ready.
  ///
  /// - Parameter isWanted: called repeatedly while waiting; if it returns `false`, the wait ends.
  /// - Returns: whether they are ready; `false` if they are no longer wanted.
  /// - Throws: an error that describes what the devices cannot do.
  func open(while isWanted: () -> Bool) throws -> Bool
  /// Takes what the devices have captured, or waits for it, up to a time limit in milliseconds.
  ///
  /// - Parameter take: called for each picture and each run of samples.
  func receive(within milliseconds: Int, _ take: (CapturedSample) throws -> Void) throws
  /// Closes the devices. Nothing is received afterwards.
  func close()
}

/// A picture, or a run of samples of sound, that a device has captured.
package struct CapturedSample {
  /// The number of its stream.
  package let stream: Int
  /// The bytes. They are valid only during the call that delivers them.
  package let bytes: UnsafeRawBufferPointer
  /// When its capture began, on the clock that never jumps.
  package let time: Duration
  /// Its length in seconds; zero if unknown.
  package let duration: Duration
  /// Whether some of its bytes are missing.
  package let isDamaged: Bool
  /// Whether pictures or samples before it were lost.
  package let followsLoss: Bool

  /// Creates a sample.
  package init(
    stream: Int, bytes: UnsafeRawBufferPointer, time: Duration, duration: Duration,
    isDamaged: Bool = false, followsLoss: Bool = false
  ) {
    self.stream = stream
    self.bytes = bytes
    self.time = time
    self.duration = duration
    self.isDamaged = isDamaged
    self.followsLoss = followsLoss
  }
}
