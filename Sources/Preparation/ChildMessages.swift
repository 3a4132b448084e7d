import Crypto
import FarmAPI
import Planning
import Timeline

/// What `media probe` is asked, one after the other.
package struct ProbeRequest: Hashable, Codable, Sendable {
  /// The file to read.
  package var path: String
  /// What it is called in messages.
  package var name: String
  /// By what its bytes are checked; they are taken as they are without.
  package var blocks: BlockList?
  /// In a process's first request, the files that it will be asked for afterwards: it can reach no others.
  package var others: [String]?
  /// Whether all of it is decoded, to be verified.
  package var verifies: Bool?
  /// The file that the index is written to; `nil` for one that comes with the answer.
  package var output: String?
  /// In a process's first request, what it may cost.
  package var limits = PlanningLimits()
  /// In a process's first request, the seconds of processor time for all of its files.
  package var seconds: Int?

  /// A request for a file without block digests.
  package init(path: String, name: String, output: String? = nil) {
    self.path = path
    self.name = name
    self.output = output
  }

  /// A request for an asset.
  package init(file: AssetFile, name: String, output: String? = nil) {
    self.init(path: file.path, name: name, output: output)
    blocks = file.blocks
  }

  /// The file with its block digests.
  package var file: AssetFile { AssetFile(path: path, blocks: blocks) }
}

/// What `media typeset` is asked.
package struct TypesetRequest: Hashable, Codable, Sendable {
  /// The layers that are to become pictures.
  package var rasters: [RasterRequest]
  /// The images' files by asset name.
  package var files: [String: AssetFile]
  /// Where the tree is in the project file, for messages.
  package var root: String
  /// Where the pictures are written, each as a file named after its SHA-256.
  package var directory: String

  /// A request from its parts.
  package init(
    rasters: [RasterRequest], files: [String: AssetFile], root: String, directory: String
  ) {
    self.rasters = rasters
    self.files = files
    self.root = root
    self.directory = directory
  }
}

/// What `media mix` is asked.
package struct MixRequest: Hashable, Codable, Sendable {
  /// The sound to mix: a `MixDescription`.
  package var mix: PlanSource
  /// The assets' files, by the hexadecimal digest.
  package var files: [String: AssetFile]
  /// The file to write.
  package var output: String
  /// Where to write the file's block digests.
  package var blocks: String

  /// A request from its parts.
  package init(mix: PlanSource, files: [String: AssetFile], output: String, blocks: String) {
    self.mix = mix
    self.files = files
    self.output = output
    self.blocks = blocks
  }
}

/// A mix that is written.
package struct MixedSound: Hashable, Codable, Sendable {
  /// The result of the mix.
  package var report: MixReport
  /// The SHA-256 of the file's block digests.
  package var blocks: Digest

  /// A mix with its report and the digest of its block digests.
  package init(report: MixReport, blocks: Digest) {
    self.report = report
    self.blocks = blocks
  }
}

/// What `media assemble` is asked, one after the other.
package enum AssemblyRequest: Hashable, Codable, Sendable {
  /// First.
  case begin(AssemblyBeginning)
  /// Then, for each segment in order.
  case append(chunk: String, sha256: Digest, frameCount: Int)
  /// Last.
  case finish
}

/// What file is to be assembled.
package struct AssemblyBeginning: Hashable, Codable, Sendable {
  /// The plan, without its segments and sound.
  package var plan: PlanSource
  /// The finished mix, if the file has sound.
  package var mix: AssetFile?
  /// The directory in which a chunk is when it is to be appended: the job's own.
  package var chunks: String
  /// The file to write.
  package var output: String

  /// A beginning from its parts.
  package init(plan: PlanSource, mix: AssetFile?, chunks: String, output: String) {
    self.plan = plan
    self.mix = mix
    self.chunks = chunks
    self.output = output
  }
}

/// What a media process answers to each request.
package enum ChildAnswer: Hashable, Codable, Sendable {
  /// The facts of a submission that was read.
  case submission(SubmissionFacts)
  /// The facts of the plan that was written.
  case planned(PlanFacts)
  /// The index that was asked for.
  case index(MediaIndex)
  /// What decoding all of a file showed.
  case verified([StreamVerification])
  /// The pictures that were asked for.
  case rasters([LayerRaster])
  /// The sound is mixed.
  case mixed(MixedSound)
  /// It is done.
  case done
  /// It is done, and the file takes no more.
  case full
  /// What was found wrong.
  case findings([Finding])
  /// It cannot be done.
  case failure(JobFailure)
}
