import FarmAPI
import Planning
import Timeline

/// What `media mix` is asked.
struct MixRequest: Hashable, Codable, Sendable {
  var mix: MixDescription
  /// The assets' files, by the hexadecimal digest.
  var files: [String: String]
  /// The file to write.
  var output: String
}

/// What `media assemble` is asked, one after the other.
enum AssemblyRequest: Hashable, Codable, Sendable {
  /// First.
  case begin(AssemblyBeginning)
  /// Then, for each segment in order.
  case append(chunk: String, frameCount: Int)
  /// Last.
  case finish
}

/// What file is to be assembled.
struct AssemblyBeginning: Hashable, Codable, Sendable {
  var frameCount: Int
  var frameDuration: RationalTime
  var renderSize: PixelSize
  var fileType: FileType
  var optimizeForNetworkUse: Bool
  /// The finished mix, if the file has sound.
  var mix: String?
  /// The file to write.
  var output: String
}

/// What a media process answers to each request.
enum ChildAnswer: Hashable, Codable, Sendable {
  /// The index that was asked for.
  case index(MediaIndex)
  /// It is done.
  case done
  /// It cannot be done.
  case failure(JobFailure)
}
