import CFFmpeg

/// Options for a libav call by name.
struct OptionDictionary: ~Copyable {
  var pointer: OpaquePointer?

  init(_ options: [String: String]) {
    for (key, value) in options.sorted(by: { $0.key < $1.key }) {
      av_dict_set(&pointer, key, value, 0)
    }
  }

  /// The names of the options that the call did not accept.
  var remaining: [String] {
    var names: [String] = []
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while let next = av_dict_get(pointer, "", entry, AV_DICT_IGNORE_SUFFIX) {
      names.append(String(cString: next.pointee.key))
      entry = next
    }
    return names
  }

  deinit {
    var dictionary = pointer
    av_dict_free(&dictionary)
  }
}
