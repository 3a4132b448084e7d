import CFFmpeg

/// A libav input context over a ``ByteSource``: libav's only access to an asset's bytes.
final class InputContext {
  let pointer: UnsafeMutablePointer<AVIOContext>
  private let state: State

  /// State that the callbacks share: the source, the position of the next read, and the last failure.
  private final class State {
    let source: any ByteSource
    var position: Int64 = 0
    var failure: (any Error)?

    init(source: any ByteSource) { self.source = source }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
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

    func seek(to offset: Int64, whence: Int32) -> Int64 {
      let target: Int64
      switch whence & ~AVSEEK_FORCE {
      case AVSEEK_SIZE: return source.size
      case SEEK_SET: target = offset
      case SEEK_CUR: target = position + offset
      case SEEK_END: target = source.size + offset
      default: return Int64(sheaf_averror(EINVAL))
      }
      guard target >= 0 else { return Int64(sheaf_averror(EINVAL)) }
      position = target
      return target
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
    let state = State(source: picture ?? source)
    self.state = state
    let buffer = av_malloc(Self.bufferSize)
    let context = avio_alloc_context(
      buffer?.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0,
      Unmanaged.passUnretained(state).toOpaque(),
      { opaque, buffer, count in
        guard let opaque, let buffer else { return sheaf_averror(EINVAL) }
        return Unmanaged<State>.fromOpaque(opaque).takeUnretainedValue()
          .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
      },
      nil,
      { opaque, offset, whence in
        guard let opaque else { return Int64(sheaf_averror(EINVAL)) }
        return Unmanaged<State>.fromOpaque(opaque).takeUnretainedValue()
          .seek(to: offset, whence: whence)
      })
    guard let context else {
      av_free(buffer)
      throw MediaError(.outOfMemory, "cannot allocate memory", on: name)
    }
    pointer = context
  }

  deinit {
    av_freep(&pointer.pointee.buffer)
    var context: UnsafeMutablePointer<AVIOContext>? = pointer
    avio_context_free(&context)
  }

  /// Returns the source's failure since the last call.
  func takeFailure() -> (any Error)? {
    defer { state.failure = nil }
    return state.failure
  }
}
