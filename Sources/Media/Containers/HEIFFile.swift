import CHEIF

/// A HEIF file and its primary picture, before anything is decoded.
final class HEIFFile {
  private let context: OpaquePointer
  private let handle: OpaquePointer
  private let name: String

  /// Reads a file's boxes. The bytes must outlive this object.
  ///
  /// - Throws: ``MediaError``.
  init(_ bytes: PictureBytes, named name: String) throws(MediaError) {
    self.name = name
    context = try allocated(heif_context_alloc(), for: name)
    // A slot uses one processor.
    heif_context_set_max_decoding_threads(context, 0)
    var handle: OpaquePointer?
    do throws(MediaError) {
      try heif_context_read_from_memory_without_copy(
        context, bytes.buffer.baseAddress, bytes.buffer.count, nil
      ).check(on: name)
      try heif_context_get_primary_image_handle(context, &handle).check(on: name)
      self.handle = try allocated(handle, for: name)
    } catch {
      heif_context_free(context)
      throw error
    }
  }

  deinit {
    heif_image_handle_release(handle)
    heif_context_free(context)
  }

  /// The upright picture's width in pixels.
  var width: Int { Int(heif_image_handle_get_width(handle)) }
  var height: Int { Int(heif_image_handle_get_height(handle)) }
  /// The bits per sample.
  var depth: Int { Int(heif_image_handle_get_luma_bits_per_pixel(handle)) }
  var hasAlpha: Bool { heif_image_handle_has_alpha_channel(handle) != 0 }
  /// Whether colors are premultiplied by alpha.
  var isPremultiplied: Bool { heif_image_handle_is_premultiplied_alpha(handle) != 0 }

  /// The file's primaries and transfer function, as the numbers of ITU-T H.273.
  var color: (primaries: UInt32, transfer: UInt32)? {
    var profile: UnsafeMutablePointer<heif_color_profile_nclx>?
    guard heif_image_handle_get_nclx_color_profile(handle, &profile).code == heif_error_Ok,
      let profile
    else { return nil }
    defer { heif_nclx_color_profile_free(profile) }
    return (
      profile.pointee.color_primaries.rawValue, profile.pointee.transfer_characteristics.rawValue
    )
  }

  /// Decodes the picture.
  ///
  /// - Throws: ``MediaError``.
  func decode(_ space: heif_colorspace, _ chroma: heif_chroma) throws(MediaError) -> HEIFImage {
    var image: OpaquePointer?
    try heif_decode_image(handle, &image, space, chroma, nil).check(on: name)
    return HEIFImage(try allocated(image, for: name))
  }
}

extension heif_error {
  fileprivate func check(on name: String) throws(MediaError) {
    guard code != heif_error_Ok else { return }
    let cause = message.map { String(cString: $0) }
    switch code {
    case heif_error_Unsupported_feature, heif_error_Unsupported_filetype,
      heif_error_Plugin_loading_error:
      throw MediaError(
        .unsupportedCodec, "cannot decode the picture", on: name,
        remedy: "convert it to JPEG or PNG", cause: cause)
    case heif_error_Memory_allocation_error:
      throw MediaError(
        .outOfMemory, "not enough memory to decode the picture", on: name,
        remedy: "make it smaller", cause: cause)
    default:
      throw MediaError(
        .damaged, "the picture is damaged or cut short", on: name,
        remedy: "copy it again from its source", cause: cause)
    }
  }
}
