import Crypto
import FarmAPI
import Foundation
import Planning
import ProjectFormat
import Timeline

/// A request to `probe`.
package struct ProbeRequest: Hashable, Codable, Sendable {
  /// The file to read.
  package var path: String
  /// The file's name in messages.
  package var name: String
  /// The list of block digests that its bytes are checked against; `nil` if they are not checked.
  package var blocks: BlockList?
  /// Whether the entire file is decoded and verified.
  package var verifies: Bool?
  /// The file to write the index to, in a folder that only this request names; `nil` to return the index in the answer.
  package var output: String?
  /// The limits on the work.
  package var limits = PlanningLimits()
  /// The seconds of processor time.
  package var seconds: Int?

  /// Creates a request for a file without block digests.
  package init(path: String, name: String) {
    self.path = path
    self.name = name
  }

  package init(file: AssetFile, name: String) {
    self.init(path: file.path, name: name)
    blocks = file.blocks
  }

  /// The file with its block digests.
  package var file: AssetFile { AssetFile(path: path, blocks: blocks) }
}

/// A request to `mix`.
package struct MixRequest: Hashable, Codable, Sendable {
  /// The sound to mix: a `MixDescription`.
  package var mix: PlanSource
  /// The assets' files, by hexadecimal digest.
  package var files: [String: AssetFile]
  /// The file to write.
  package var output: String
  /// The path for the file's block digests.
  package var blocks: String
  /// The folder for the parts of the mix, in the folder of ``output``; `nil` if it is not written in parts.
  package var parts: String?
  /// The maximum number of news about the parts.
  package var newsLimit: Int

  package init(
    mix: PlanSource, files: [String: AssetFile], output: String, blocks: String,
    parts: String? = nil, newsLimit: Int = 0
  ) {
    self.mix = mix
    self.files = files
    self.output = output
    self.blocks = blocks
    self.parts = parts
    self.newsLimit = newsLimit
  }
}

/// A request to `decode`, which decodes what segments show to find damage.
package struct DecodingRequest: Hashable, Codable, Sendable {
  /// The segments: each a `LeasedContent`.
  package var segments: [PlanSource]
  /// The assets' files, by hexadecimal digest.
  package var files: [String: AssetFile]
  /// The number of output frames in the segments.
  package var frameCount: Int

  package init(segments: [PlanSource], files: [String: AssetFile], frameCount: Int) {
    self.segments = segments
    self.files = files
    self.frameCount = frameCount
  }
}

/// A segment that shows a damaged or missing frame.
package struct DamagedSegment: Hashable, Codable, Sendable {
  /// Its index in the ``DecodingRequest``.
  package var index: Int
  /// A description of the damage, for the log.
  package var message: String

  package init(index: Int, message: String) {
    self.index = index
    self.message = message
  }
}

package struct MixedSound: Hashable, Codable, Sendable {
  /// The result of the mix.
  package var report: MixReport
  /// The SHA-256 of the file's block digests.
  package var blocks: Digest
  /// The `Fingerprint` of the libraries that made it.
  package var fingerprint: String

  package init(report: MixReport, blocks: Digest, fingerprint: String) {
    self.report = report
    self.blocks = blocks
    self.fingerprint = fingerprint
  }
}

/// The requests to `assemble`, in order.
package enum AssemblyRequest: Hashable, Codable, Sendable {
  /// The first request.
  case begin(AssemblyBeginning)
  /// The next parts of a mix that is not finished yet.
  case add([SoundPart])
  /// One request for each segment, in order.
  case append(chunk: String, sha256: Digest, frameCount: Int)
  /// The last request.
  case finish
}

/// Describes the file to assemble.
package struct AssemblyBeginning: Hashable, Codable, Sendable {
  /// The plan, without its segments and sound.
  package var plan: PlanSource
  /// The mix, if the file has sound.
  package var sound: AssemblySound?
  /// The job's directory, which contains each chunk while it is being appended.
  package var chunks: String
  /// The assets to which chunks refer.
  package var assets: [ReferencedAsset]
  /// The file to write.
  package var output: String
  /// Whether the file must be on the disk when it is finished.
  package var isDurable: Bool

  package init(
    plan: PlanSource, sound: AssemblySound?, chunks: String, assets: [ReferencedAsset],
    output: String, isDurable: Bool
  ) {
    self.plan = plan
    self.sound = sound
    self.chunks = chunks
    self.assets = assets
    self.output = output
    self.isDurable = isDurable
  }
}

/// The sound of a file to assemble.
package enum AssemblySound: Hashable, Codable, Sendable {
  /// The finished mix.
  case mix(AssetFile)
  /// The first part of a mix that is not finished yet, and the folder with the parts.
  case parts(folder: String, first: SoundPart)
}

/// A media process's answer to a request.
package enum ChildAnswer: Hashable, Codable, Sendable {
  /// A submission was read, with these facts.
  case submission(SubmissionFacts)
  /// The draft of a plan was written, with this SHA-256.
  case drafted(Digest)
  /// A plan was frozen, with these facts.
  case planned(PlanFacts)
  case index(MediaIndex)
  /// The results of decoding an entire file.
  case verified([StreamVerification])
  case rasters([LayerRaster])
  /// News about the sound that is being mixed. Further answers to the same request follow.
  case mixing(SoundNews)
  /// The sound is mixed.
  case mixed(MixedSound)
  /// The requested JPEG.
  case picture(Data)
  /// One of the segments shows damage.
  case damaged(DamagedSegment)
  /// A recorder's news.
  case recorded(RecordingNews)
  /// The files of a recording are finished, with these lengths and digests.
  case joined([WrittenContent])
  /// The file is finished, with this length and checksum.
  case assembled(WrittenContent)
  /// The request is done.
  case done
  /// A chunk was to be appended, with this result.
  case chunk(ChunkOutcome)
  /// The problems that were found.
  case findings([Finding])
  /// The media libraries, codecs and fonts of this host.
  case examined(HostMedia)
  /// The project has problems, so the request failed.
  case invalid(ProjectError)
  /// The request failed for another reason.
  case failure(JobFailure)
}
