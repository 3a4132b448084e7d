import CFFmpeg
import Foundation

/// An open libavcodec encoder, with the stream parameters for a muxer.
final class EncoderContext {
  let pointer: UnsafeMutablePointer<AVCodecContext>
  let parameters: StreamParameters

  /// Opens an encoder by name.
  ///
  /// - Parameters:
  ///   - subject: the subject of error messages.
  ///   - configure: sets the context's own members.
  /// - Throws: ``MediaError`` with code `encoderFailed`, or `invalidSettings` for options that are unknown or invalid.
  init(
    _ name: String, subject: String, options: [String: String],
    configure: (UnsafeMutablePointer<AVCodecContext>) throws(MediaError) -> Void
  ) throws(MediaError) {
    LibavLog.installed
    guard let codec = avcodec_find_encoder_by_name(name) else {
      throw MediaError(
        .encoderFailed, "the encoder is not installed", on: name,
        remedy: "install the Debian package libavcodec-extra")
    }
    var opened: UnsafeMutablePointer<AVCodecContext>? = try allocated(
      avcodec_alloc_context3(codec), for: subject)
    Self.turn.lock()
    defer { Self.turn.unlock() }
    do throws(MediaError) {
      let context = try allocated(opened, for: subject)
      try configure(context)
      parameters = try Self.open(context, codec, options, subject)
      pointer = context
    } catch {
      avcodec_free_context(&opened)
      throw error
    }
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = pointer
    Self.turn.withLock { avcodec_free_context(&context) }
  }

  /// Held while an encoder is opened or closed. libSvtAv1Enc 1.4 lists the processors in a global that every opening
  /// fills and every closing frees, without a lock of its own.
  private static let turn = NSLock()

  private static func open(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ codec: UnsafePointer<AVCodec>,
    _ options: [String: String], _ subject: String
  ) throws(MediaError) -> StreamParameters {
    var dictionary = OptionDictionary(options)
    _ = LibavLog.takeLastError()
    try checked(
      avcodec_open2(context, codec, &dictionary.pointer), .encoderFailed,
      "cannot open the encoder", on: subject,
      remedy: "check the preset, tune, profile and rate of the export settings")
    if let complaint = LibavLog.takeLastError(), LibavLog.isOptionComplaint(complaint) {
      throw MediaError(
        .invalidSettings, "the encoder rejected an option", on: subject, cause: complaint)
    }
    guard dictionary.remaining.isEmpty else {
      throw MediaError(
        .invalidSettings, "the encoder does not have these options", on: subject,
        cause: dictionary.remaining.joined(separator: ", "))
    }
    let parameters = try StreamParameters()
    try checked(
      avcodec_parameters_from_context(parameters.pointer, context), .encoderFailed,
      "cannot read the encoder's parameters", on: subject)
    return parameters
  }
}
