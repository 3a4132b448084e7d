import Glibc

/// A library behind libavcodec that is already part of the process and reports its own version.
///
/// libavcodec does not name the encoders that it calls, and their headers need not be installed, so the symbols are
/// looked up among the objects that the process has loaded.
enum LoadedLibrary: String, CaseIterable {
  case x265 = "x265"
  case svtav1 = "svtav1"
  case vpx = "vpx"
  case dav1d = "dav1d"

  /// The library's own version, e.g. `3.5+1-f0c1022b6`; `nil` if libavcodec was built without it.
  var version: String? {
    // Without a path, this is the process itself with everything that it has loaded. There is nothing to close.
    guard let address = dlsym(dlopen(nil, RTLD_NOW), symbol) else { return nil }
    let text: UnsafePointer<CChar>? =
      switch self {
      case .x265: address.load(as: UnsafePointer<CChar>?.self)
      case .svtav1, .vpx, .dav1d:
        unsafeBitCast(address, to: (@convention(c) () -> UnsafePointer<CChar>?).self)()
      }
    return text.map { String(cString: $0) }
  }

  /// The variable (x265) or the function without parameters (the others) that holds or returns a C string.
  private var symbol: String {
    switch self {
    case .x265: "x265_version_str"
    case .svtav1: "svt_av1_get_version"
    case .vpx: "vpx_codec_version_str"
    case .dav1d: "dav1d_version"
    }
  }
}
