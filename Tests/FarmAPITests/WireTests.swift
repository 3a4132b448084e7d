import Crypto
import FarmAPI
import Foundation
import Planning
import Support
import Testing

/// The JSON that coordinators, workers and command lines of other versions read.
@Suite(.mayBlock) struct WireTests {
  private static let digest = Digest.of([1, 2, 3])

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try FarmCoding.encode(value), as: UTF8.self)
  }

  @Test func `a job's status is encoded as the protocol specifies, and decoded`() throws {
    var segments = SegmentCounts()
    segments.completed = 2
    let status = JobStatus(
      id: "j1", name: "cut", state: .completed, createdAt: Date(timeIntervalSince1970: 0),
      finishedAt: Date(timeIntervalSince1970: 60), frameCount: 10, framesRendered: 10,
      segments: segments,
      output: OutputFile(fileName: "cut.mp4", byteCount: 9, sha256: Self.digest))
    let expected =
      #"{"createdAt":"1970-01-01T00:00:00Z","finishedAt":"1970-01-01T00:01:00Z","#
      + #""frameCount":10,"framesRendered":10,"id":"j1","name":"cut","#
      + #""output":{"byteCount":9,"fileName":"cut.mp4","sha256":"\#(Self.digest)"},"#
      + #""segments":{"completed":2,"failed":0,"leased":0,"pending":0},"state":"completed"}"#
    #expect(try text(status) == expected)
    #expect(try FarmCoding.decode(JobStatus.self, from: Data(expected.utf8)) == status)
  }

  @Test(arguments: [
    (#""kind":"blended","#, SegmentMethod.Kind.blended), (#""kind":"later","#, nil), ("", nil),
  ])
  func `a reason for encoding may be of a kind that this version does not know`(
    kind: String, known: SegmentMethod.Kind?
  ) throws {
    let json = #"{"frameCount":9,\#(kind)"reason":"it is so"}"#
    let frames = try FarmCoding.decode(EncodedFrames.self, from: Data(json.utf8))
    #expect(frames == EncodedFrames(kind: known, reason: "it is so", frameCount: 9))
  }

  @Test func `a job's loudness is encoded without unknown values`() throws {
    let report = LoudnessReport(
      target: -16, before: nil, gain: 0, after: nil, truePeak: nil, isLimited: false)
    let expected = #"{"gain":0,"isLimited":false,"target":-16}"#
    #expect(try text(report) == expected)
    #expect(try FarmCoding.decode(LoudnessReport.self, from: Data(expected.utf8)) == report)
  }

  @Test func `a manifest fits in a header: one line of ASCII, parameter sets in base64`() throws {
    let manifest = ChunkManifest(
      frameCount: 3, byteCount: 9, sha256: Self.digest, parameterSets: Data([0, 0, 1, 0x67]))
    let expected =
      #"{"byteCount":9,"frameCount":3,"parameterSets":"AAABZw==","sha256":"\#(Self.digest)"}"#
    #expect(try text(manifest) == expected)
    #expect(try FarmCoding.decode(ChunkManifest.self, from: Data(expected.utf8)) == manifest)
  }

  @Test func `an uploaded asset has no path on the wire`() throws {
    let reference = AssetReference(digest: Self.digest, byteCount: 5)
    #expect(try text(reference) == #"{"byteCount":5,"digest":"\#(Self.digest)"}"#)
  }

  @Test(arguments: ["", "00", String(repeating: "g", count: 64), String(repeating: "0", count: 65)])
  func `an invalid digest is rejected`(hex: String) {
    let json = #"{"byteCount":5,"digest":"\#(hex)"}"#
    #expect(throws: DecodingError.self) {
      try FarmCoding.decode(AssetReference.self, from: Data(json.utf8))
    }
  }

  @Test(arguments: [
    (JobState.queued, false), (.planning, false), (.rendering, false), (.assembling, false),
    (.completed, true), (.failed, true), (.cancelled, true),
  ])
  func `only the final states end a job`(state: JobState, isFinal: Bool) {
    #expect(state.isFinal == isFinal)
  }
}
