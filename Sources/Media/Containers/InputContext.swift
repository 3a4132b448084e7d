import CFFmpeg

/// A libav input context over a ``ByteSource``: libav's only access to an asset's bytes.
final class InputContext {
  /// The context for libav.
  var pointer: UnsafeMutablePointer<AVIOContext> { context.pointer }
  private let context: IOContext
  private let state: State

  /// The source, and its last failure.
  private final class State: IOCallbacks {
    let source: any ByteSource
    var failure: (any Error)?

    init(source: any ByteSource) { self.source = source }

    override var size: Int64 { source.size }

    override func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
      do {
        let count = try source.read(at: position, into: buffer)
        guard count > 0 else { return sheaf_averror_eof }
        position += Int64(count)
        return Int32(count)
      } catch {
        failure = error
        return sheaf_averror(EIO)
      }
    }
  }

  private static let bufferSize = 1 << 16

  init(source: any ByteSource, named name: String) throws(MediaError) {
    let picture: PNGSource?
    do {
      picture = try PNGSource(source, named: name)
    } catch {
      throw MediaError.reading(error, named: name)
    }
    state = State(source: picture ?? source)
    context = try IOContext(state, .input, bufferSize: Self.bufferSize, named: name)
  }

  /// Returns the source's failure since the last call.
  func takeFailure() -> (any Error)? {
    defer { state.failure = nil }
    return state.failure
  }
}
