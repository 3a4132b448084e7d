import Foundation
import Processes

extension MessageChannel {
  /// Sends a message. The caller keeps its descriptor. If sending fails, the missing answer shows it.
  func send(_ message: RenderMessage) {
    send(
      Message(kind: message.kind.rawValue, bytes: message.bytes, descriptor: message.descriptor))
  }

  /// Waits for a message, whose descriptor the caller must close. Meanwhile reads the other end's standard error into
  /// `words`, if given. Returns `nil` if no valid message arrives.
  func receiveRenderMessage(hearing words: LastWords? = nil) -> RenderMessage? {
    guard let message = try? receive(hearing: words) else { return nil }
    guard let kind = RenderMessage.Kind(rawValue: message.kind) else {
      if message.descriptor >= 0 { close(message.descriptor) }
      return nil
    }
    return RenderMessage(kind: kind, bytes: message.bytes, descriptor: message.descriptor)
  }
}
