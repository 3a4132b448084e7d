import CFFmpeg
import Timeline

extension VideoEncoderSettings {
  /// The encoder's private options: those of the project, and what closed chunks and determinism require.
  package var options: [String: String] {
    var options: [String: String] = [:]
    if case .quality(let crf) = rate { options["crf"] = "\(crf)" }
    var library: [(name: String, value: String)] = []
    switch codec {
    case .h264: h264(&options, &library)
    case .hevc: hevc(&options, &library)
    case .av1: av1(&options, &library)
    case .vp9: vp9(&options)
    case .prores:
      options["vendor"] = "apl0"
      options["profile"] = profile ?? "standard"
    }
    for (name, value) in more.sorted(by: { $0.key < $1.key }) {
      if libraryOption == nil || Self.isKnown(name, to: codec.encoderName) {
        options[name] = value
      } else {
        library.append((name, value))
      }
    }
    if let libraryOption {
      options[libraryOption] = library.map { "\($0.name)=\($0.value)" }.joined(separator: ":")
    }
    return options
  }

  /// The libavcodec option that passes options on to the encoder's own library.
  private var libraryOption: String? {
    switch codec {
    case .h264: "x264-params"
    case .hevc: "x265-params"
    case .av1: "svtav1-params"
    case .vp9, .prores: nil
    }
  }

  /// `repeat-headers` keeps the parameter sets in band as well as out of band, `stitchable` keeps them from depending
  /// on the content, and `cpu-independent` keeps the bytes from depending on the processor.
  private func h264(
    _ options: inout [String: String], _ library: inout [(name: String, value: String)]
  ) {
    options["preset"] = preset
    options["forced-idr"] = "1"
    options["a53cc"] = "0"
    options["tune"] = tune
    options["profile"] = profile
    options["level"] = level
    library = [
      ("repeat-headers", "1"), ("stitchable", "1"), ("cpu-independent", "1"), ("open-gop", "0"),
    ]
    // libavcodec would set the order of fields only after libx264 has described the first picture.
    if let firstField { library.append((firstField == .top ? "tff" : "bff", "1")) }
  }

  /// One thread without wavefronts; `info` would write the encoder's build into the stream.
  private func hevc(
    _ options: inout [String: String], _ library: inout [(name: String, value: String)]
  ) {
    options["preset"] = preset
    options["forced-idr"] = "1"
    options["tune"] = tune
    // libx265 chooses the profile for other samplings of chroma.
    options["profile"] = profile ?? (chroma != nil ? nil : bitDepth == 8 ? "main" : "main10")
    library = [
      ("pools", "none"), ("frame-threads", "1"), ("wpp", "0"), ("lookahead-slices", "0"),
      ("info", "0"), ("open-gop", "0"), ("repeat-headers", "1"), ("log-level", "0"),
    ]
    if let level { library.append(("level-idc", level)) }
    if let display = hdr?.masteringDisplay {
      library.append(
        (
          "master-display",
          display.text { "\($0)" } + "L(\(display.greatestLuminance),\(display.leastLuminance))"
        ))
    }
    if let light = hdr?.contentLight {
      library.append(("max-cll", "\(light.greatest),\(light.greatestMean)"))
    }
  }

  /// One logical processor, and keyframes that no picture refers across.
  private func av1(
    _ options: inout [String: String], _ library: inout [(name: String, value: String)]
  ) {
    options["preset"] = preset
    if case .quality(let crf) = rate { options["crf"] = "\(Int(crf))" }
    library = [("lp", "1"), ("pin", "0"), ("irefresh-type", "2")]
    if let level { library.append(("level", level)) }
    if let display = hdr?.masteringDisplay {
      let (most, least) = (display.greatestLuminance, display.leastLuminance)
      library.append(
        (
          "mastering-display",
          display.text { "\(Double($0) / 50_000)" }
            + "L(\(Double(most) / 10_000),\(Double(least) / 10_000))"
        ))
    }
    if let light = hdr?.contentLight {
      library.append(("content-light", "\(light.greatest),\(light.greatestMean)"))
    }
  }

  /// Hidden frames are packed with the next visible one, so that packets are in presentation order.
  private func vp9(_ options: inout [String: String]) {
    options["deadline"] = "good"
    options["cpu-used"] = preset
    options["row-mt"] = "0"
    if case .quality(let crf) = rate { options["crf"] = "\(Int(crf))" }
    options["tune"] = tune
    options["level"] = level
  }

  /// Options of libavcodec itself that a project may set.
  private static let general: Set<String> = [
    "maxrate", "minrate", "bufsize", "bf", "refs", "qmin", "qmax", "qdiff", "qcomp", "qblur",
    "i_qfactor", "b_qfactor", "i_qoffset", "b_qoffset", "keyint_min", "sc_threshold", "me_range",
    "subq", "trellis", "chromaoffset", "b_strategy", "rc_init_occupancy",
  ]

  /// Whether libavcodec knows an option of an encoder.
  static func isKnown(_ name: String, to encoder: String) -> Bool {
    if general.contains(name) { return true }
    guard let codec = avcodec_find_encoder_by_name(encoder),
      var options = codec.pointee.priv_class
    else { return false }
    return withUnsafeMutablePointer(to: &options) {
      av_opt_find($0, name, nil, AV_OPT_FLAG_ENCODING_PARAM, AV_OPT_SEARCH_FAKE_OBJ) != nil
    }
  }
}

extension MasteringDisplay {
  /// The display's points in the notation of encoders, with each number formatted by `write`.
  fileprivate func text(_ write: (Int) -> String) -> String {
    [("G", green), ("B", blue), ("R", red), ("WP", white)].map { name, point in
      "\(name)(\(write(point.x)),\(write(point.y)))"
    }.joined()
  }
}
