import CFFmpeg

/// Puts start codes before the units of H.264 pictures, instead of their lengths, and parameter sets before each IDR
/// picture that has none. New parameter sets in a packet's side data apply from that packet on.
///
/// Not thread-safe.
final class StartCodes {
  private var context: UnsafeMutablePointer<AVBSFContext>

  /// Creates a converter; `nil` if the stream's packets need none.
  ///
  /// - Throws: ``MediaError`` with code `outOfMemory` or `damaged`.
  init?(for parameters: StreamParameters, timeBase: AVRational) throws {
    // A configuration record begins with its version, 1 (ISO/IEC 14496-15, 5.3.3.1).
    guard parameters.codec == "h264", parameters.parameterSets.first == 1,
      let filter = av_bsf_get_by_name("h264_mp4toannexb")
    else { return nil }
    context = try Self.filter(filter, parameters, timeBase)
  }

  private static func filter(
    _ filter: UnsafePointer<AVBitStreamFilter>, _ parameters: StreamParameters,
    _ timeBase: AVRational
  ) throws -> UnsafeMutablePointer<AVBSFContext> {
    var allocated: UnsafeMutablePointer<AVBSFContext>?
    guard av_bsf_alloc(filter, &allocated) >= 0, let context = allocated else {
      throw MediaError(.outOfMemory, "cannot allocate memory", on: parameters.codec)
    }
    context.pointee.time_base_in = timeBase
    guard avcodec_parameters_copy(context.pointee.par_in, parameters.pointer) >= 0,
      av_bsf_init(context) >= 0
    else {
      av_bsf_free(&allocated)
      throw MediaError(
        .damaged, "the parameter sets are damaged", on: parameters.codec,
        remedy: "check what the source sends")
    }
    return context
  }

  /// Begins anew with the parameter sets that a packet states, because libav's filter ignores them.
  private func update(from packet: Packet) throws {
    var size = 0
    guard
      let data = av_packet_get_side_data(packet.pointer, AV_PKT_DATA_NEW_EXTRADATA, &size),
      size > 0, data[0] == 1
    else { return }
    let parameters = try StreamParameters(copying: context.pointee.par_in)
    let sets = [UInt8](UnsafeBufferPointer(start: data, count: size))
    guard sets != parameters.parameterSets else { return }
    try parameters.setParameterSets(sets)
    let new = try Self.filter(
      context.pointee.filter, parameters, context.pointee.time_base_in)
    var old: UnsafeMutablePointer<AVBSFContext>? = context
    av_bsf_free(&old)
    context = new
  }

  deinit {
    var context: UnsafeMutablePointer<AVBSFContext>? = context
    av_bsf_free(&context)
  }

  /// The parameters of the converted stream.
  func parameters() throws -> StreamParameters {
    try StreamParameters(copying: context.pointee.par_out)
  }

  /// Converts a packet in place.
  ///
  /// - Returns: whether there is a packet; `false` if it was not a picture.
  /// - Throws: ``MediaError`` with code `damaged`.
  func convert(_ packet: Packet, named name: String) throws -> Bool {
    try update(from: packet)
    let (timeBase, position) = (packet.timeBase, packet.position)
    var status = av_bsf_send_packet(context, packet.pointer)
    if status >= 0 { status = av_bsf_receive_packet(context, packet.pointer) }
    let error = LibavError(status: status)
    if status == sheaf_averror(EAGAIN) { return false }
    guard status >= 0 else {
      throw MediaError(
        .damaged, "cannot read the source", on: name, remedy: "check what it sends",
        cause: error.text)
    }
    packet.timeBase = timeBase
    packet.pointer.pointee.pos = position
    return true
  }
}
