/// The encoder options that a project cannot set, and the reasons.
public enum RefusedOption {
  /// The reason why an encoder option is refused; `nil` if it is left to the encoder.
  ///
  /// - Parameter name: the option's name, with `-` or `_` between words.
  public static func reason(for name: String) -> String? {
    let plain = name.lowercased().replacing("_", with: "-")
    let bare = plain.hasPrefix("no-") ? String(plain.dropFirst(3)) : plain
    for (reason, names) in reasons where names.contains(plain) || names.contains(bare) {
      return reason
    }
    return nil
  }

  private static let reasons: [(String, Set<String>)] = [
    (
      "it would make the output depend on the host",
      [
        "threads", "thread-type", "lookahead-threads", "sliced-threads", "slices", "slices-max",
        "slice-max-size", "slice-max-mbs", "sync-lookahead", "n-deterministic", "deterministic",
        "non-deterministic", "cpu-independent", "asm", "opencl", "opencl-clbin", "opencl-device",
        "pools", "numa-pools", "frame-threads", "wpp", "pmode", "pme", "threaded-me", "row-mt",
        "lp", "pin", "ss", "tgt-socket", "lookahead-slices", "copy-pic", "cpuid", "bitexact",
      ]
    ),
    (
      "it would prevent chunks from being joined",
      [
        "open-gop", "intra-refresh", "stitchable", "sps-id", "repeat-headers", "annexb", "aud",
        "irefresh-type", "irefresh", "forced-idr", "idr-recovery-sei", "bluray-compat",
        "avcintra-class", "avcintra-flavor", "nal-hrd", "hrd", "hrd-concat", "filler", "pulldown",
        "fake-interlaced", "interlaced", "interlace", "tff", "bff", "field", "pic-struct",
        "frame-packing", "flags", "flags2", "strict", "opt-qp-pps", "opt-ref-list-length-pps",
        "opt-cu-delta-qp", "vui-timing-info", "vui-hrd-info", "temporal-layers", "alpha-bits",
        "chunk-start", "chunk-end", "radl", "error-resilient", "ts-parameters", "vp8flags",
        "force-key-frames", "enable-force-key-frames", "dts-compress", "force-cfr", "vfr-input",
        "info", "hash", "udu-sei", "a53cc", "vendor", "pred-struct", "superres-mode",
        "superres-denom",
        "resize-mode", "resize-denom", "drop-threshold", "drop-frame", "cll",
      ]
    ),
    (
      "it needs additional files or passes",
      [
        "stats", "passlogfile", "pass", "multi-pass-opt-analysis", "multi-pass-opt-distortion",
        "slow-firstpass", "analysis-save", "analysis-load", "analysis-reuse-file",
        "analysis-reuse-mode", "csv", "csv-log-level", "log", "log-file", "log-file-level",
        "log-level", "dump-yuv", "recon", "recon-depth", "input", "input-res", "output", "zonefile",
        "qpfile", "cqm4", "cqmfile", "cqm", "scaling-list", "lambda-file", "dhdr10-info",
        "dolby-vision-rpu", "refine-analysis-type", "rpass", "passes", "fgs-table", "config",
        "stat-report", "enable-stat-report", "stat-file", "progress", "tune-file",
        "opt-stats", "two-pass", "seek", "frames", "input-depth", "output-depth",
      ]
    ),
    (
      "another key of the project, or the plan, determines it",
      [
        "preset", "tune", "profile", "level", "level-idc", "crf", "qp", "bitrate", "b", "rc",
        "tbr", "bit-rate", "cbr", "abr", "keyint", "g", "gop", "gop-size", "fps", "fps-num",
        "fps-denom", "fps-numerator", "fps-denominator", "timebase", "sar", "width", "height", "w",
        "h", "input-csp", "output-csp", "csp", "colorprim", "colormatrix", "transfer", "range",
        "fullrange", "videoformat", "overscan", "chromaloc", "chroma-sample-position",
        "color-primaries", "color-trc",
        "color-range", "colorspace", "color-primaries-enabled", "matrix-coefficients",
        "transfer-characteristics", "master-display", "mastering-display", "max-cll",
        "content-light", "hdr", "hdr10", "hdr10-opt", "pixel-format", "pix-fmt", "bit-depth",
        "input-bit-depth", "encoder-bit-depth", "color-format", "cpu-used", "speed", "deadline",
        "quality", "enable-hdr", "display-window", "crop-rect", "x264-params", "x264opts",
        "x265-params", "svtav1-params", "psnr", "ssim", "time-base",
      ]
    ),
  ]
}
