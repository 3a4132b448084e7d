import FarmAPI
import Media
import Preparation
import SRT
import Sheaf

/// A stream that arrives over SRT.
final class SRTInput: ConnectingInput {
  private let receiver: SRTReceiver
  private let name: String
  let isDatagram = false
  let format = LiveContainer.transportStream

  /// Takes ownership of the datagram socket of a source.
  ///
  /// - Parameter name: the source's name in errors.
  init(
    taking descriptor: Int32, as role: SRTReceiver.Role, _ passphrase: RecordingPassphrase?,
    named name: String
  ) throws(JobError) {
    self.name = name
    do throws(SRTError) {
      receiver = try SRTReceiver(taking: descriptor, as: role, passphrase: passphrase?.secret)
    } catch {
      throw Self.failure(error, name)
    }
  }

  private static func failure(_ error: SRTError, _ name: String) -> JobError {
    error.code == .encryption
      ? JobError(.passphraseRejected, "\(name): \(error)")
      : JobError(.sourceUnreachable, "cannot open the source: \(name): \(error)")
  }

  var delay: Duration { receiver.latency }

  /// Waits for the connection.
  ///
  /// - Parameter isWanted: called repeatedly while waiting; if it returns `false`, the wait ends.
  /// - Returns: whether there is a connection; `false` if it is no longer wanted.
  func connect(while isWanted: () -> Bool) throws(JobError) -> Bool {
    do throws(SRTError) {
      return try receiver.connect(while: isWanted)
    } catch {
      throw Self.failure(error, name)
    }
  }

  func receive(
    into buffer: UnsafeMutableRawBufferPointer, within milliseconds: Int
  ) throws -> LiveBytes {
    do throws(SRTError) {
      switch try receiver.receive(into: buffer, within: milliseconds) {
      case .bytes(let count): return .bytes(count)
      case .nothing: return .nothing
      case .ended: return .ended
      }
    } catch {
      throw Self.failure(error, name)
    }
  }

  func close() { receiver.close() }
}
