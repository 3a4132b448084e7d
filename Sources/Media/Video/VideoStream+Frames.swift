import Timeline

extension VideoStream {
  /// Whether the parameter sets say that all pictures are coded as frames, not as fields. `false` if that is unknown, or
  /// for other codecs than H.264.
  var hasOnlyFrames: Bool {
    guard codec == "h264", let sets = ParameterSets(codec: codec, record: parameterSets) else {
      return false
    }
    let sequences = sets.units.filter { $0[0] & 0x1F == 7 }
    return !sequences.isEmpty
      && sequences.allSatisfy { SequenceParameters($0)?.hasOnlyFrames == true }
  }
}
