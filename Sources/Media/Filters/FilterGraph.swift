import CFFmpeg

/// A chain of libavfilter filters for pictures of one size and format, run on the caller's thread.
///
/// Nothing is converted implicitly: a format that a filter does not support is an error. Not thread-safe.
final class FilterGraph {
  private let graph: UnsafeMutablePointer<AVFilterGraph>
  private let source: UnsafeMutablePointer<AVFilterContext>
  private let sink: UnsafeMutablePointer<AVFilterContext>
  private let filters: String

  /// Sets up filters, in libavfilter's syntax, for pictures like `frame`.
  ///
  /// - Throws: ``MediaError`` with code `conversionFailed` or `outOfMemory`.
  init(_ filters: String, for frame: Frame) throws(MediaError) {
    LibavLog.installed
    self.filters = filters
    let made = try allocated(avfilter_graph_alloc(), for: filters)
    do throws(MediaError) {
      made.pointee.nb_threads = 1
      made.pointee.thread_type = 0
      // AVFILTER_AUTO_CONVERT_NONE, -1.
      avfilter_graph_set_auto_convert(made, UInt32.max)
      source = try Self.add("buffer", options: Self.options(for: frame), to: made)
      sink = try Self.add("buffersink", options: nil, to: made)
      try Self.link(filters, from: source, to: sink, in: made)
      // This property is set last: if it were set before a throw, `deinit` would free the graph too.
      graph = made
    } catch {
      var failed: UnsafeMutablePointer<AVFilterGraph>? = made
      avfilter_graph_free(&failed)
      throw error
    }
  }

  deinit {
    var graph: UnsafeMutablePointer<AVFilterGraph>? = graph
    avfilter_graph_free(&graph)
  }

  /// Sends a picture, whose pixels are shared, or `nil` at the end.
  func push(_ frame: Frame?) throws(MediaError) {
    try checked(
      av_buffersrc_add_frame_flags(source, frame?.pointer, Int32(AV_BUFFERSRC_FLAG_KEEP_REF)),
      .conversionFailed, "cannot filter a picture", on: filters)
  }

  /// The next filtered picture; `nil` if more input is needed, or after the last picture.
  func pull() throws(MediaError) -> Frame? {
    let frame = try Frame()
    let status = av_buffersink_get_frame(sink, frame.pointer)
    guard status < 0 else { return frame }
    let error = LibavError(status: status)
    if error.isTryAgain || error.isEndOfFile { return nil }
    try checked(status, .conversionFailed, "cannot filter a picture", on: filters)
    return nil
  }

  private static func options(for frame: Frame) -> String {
    let aspect = frame.pointer.pointee.sample_aspect_ratio
    return "video_size=\(frame.width)x\(frame.height):pix_fmt=\(frame.pixelFormat.name)"
      + ":time_base=1/1:pixel_aspect=\(max(aspect.num, 0))/\(max(aspect.den, 1))"
  }

  private static func add(
    _ name: String, options: String?, to graph: UnsafeMutablePointer<AVFilterGraph>
  ) throws(MediaError) -> UnsafeMutablePointer<AVFilterContext> {
    var context: UnsafeMutablePointer<AVFilterContext>?
    try checked(
      avfilter_graph_create_filter(
        &context, avfilter_get_by_name(name), name, options, nil, graph),
      .conversionFailed, "cannot set up the filter", on: name)
    return try allocated(context, for: name)
  }

  private static func link(
    _ filters: String, from source: UnsafeMutablePointer<AVFilterContext>,
    to sink: UnsafeMutablePointer<AVFilterContext>, in graph: UnsafeMutablePointer<AVFilterGraph>
  ) throws(MediaError) {
    // In libav's terms, "outputs" are the open ends before the filters, and "inputs" those after them.
    var outputs = avfilter_inout_alloc()
    var inputs = avfilter_inout_alloc()
    defer {
      avfilter_inout_free(&outputs)
      avfilter_inout_free(&inputs)
    }
    for (end, context, name) in [(outputs, source, "in"), (inputs, sink, "out")] {
      let end = try allocated(end, for: filters)
      end.pointee.name = av_strdup(name)
      end.pointee.filter_ctx = context
      end.pointee.pad_idx = 0
    }
    try checked(
      avfilter_graph_parse_ptr(graph, filters, &inputs, &outputs, nil), .conversionFailed,
      "cannot set up the filters", on: filters)
    try checked(
      avfilter_graph_config(graph, nil), .conversionFailed, "cannot set up the filters",
      on: filters)
  }
}
