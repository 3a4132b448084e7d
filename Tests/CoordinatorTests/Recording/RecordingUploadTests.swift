import FarmAPI
import Foundation
import Support
import Testing
import sheaf_coordinator

/// The pieces of an uploaded stream, and what a recorder reads of them.
@Suite(.mayBlock) struct RecordingUploadTests {
  private func add(
    _ text: String, at offset: Int64, isLast: Bool = false, to upload: RecordingUpload
  ) -> RecordingUpload.Outcome {
    upload.add(Data(text.utf8), at: offset, isLast: isLast) { true }
  }

  private func read(_ upload: RecordingUpload) -> String {
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = Foundation.read(upload.readingEnd, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test func `a repeated piece is passed on once`() throws {
    let upload = try RecordingUpload()
    #expect(add("abc", at: 0, to: upload) == .goesOn(at: 3))
    #expect(add("abc", at: 0, to: upload) == .goesOn(at: 3))
    #expect(add("bcde", at: 1, to: upload) == .goesOn(at: 5))
    #expect(add("x", at: 1, to: upload) == .goesOn(at: 5))
    #expect(add("", at: 5, to: upload) == .goesOn(at: 5))
    #expect(read(upload) == "abcde")
  }

  @Test func `a piece that leaves a gap is rejected`() throws {
    let upload = try RecordingUpload()
    #expect(add("abc", at: 1, to: upload) == .leavesGap(after: 0))
    #expect(add("abc", at: 0, to: upload) == .goesOn(at: 3))
    #expect(add("def", at: 4, isLast: true, to: upload) == .leavesGap(after: 3))
    #expect(!upload.isComplete)
  }

  @Test func `the last piece ends the stream, and may be repeated`() throws {
    let upload = try RecordingUpload()
    #expect(add("abc", at: 0, isLast: true, to: upload) == .goesOn(at: 3))
    #expect(upload.isComplete)
    #expect(add("abc", at: 0, isLast: true, to: upload) == .goesOn(at: 3))
    #expect(add("d", at: 3, to: upload) == .closed)
    #expect(read(upload) == "abc")
    #expect(read(upload) == "")
  }

  @Test func `a piece waits for the recorder, and returns how much of it was taken`() throws {
    let upload = try RecordingUpload()
    let piece = Data(count: 8 << 20)
    // It asks whether it is wanted only if it has to wait.
    guard case .goesOn(let count) = upload.add(piece, at: 0, isLast: true, while: { false }) else {
      Issue.record("the piece was refused")
      return
    }
    #expect(count > 0 && count < piece.count)
    #expect(!upload.isComplete)
  }

  @Test func `pieces after the end of the recording are rejected`() throws {
    let upload = try RecordingUpload()
    upload.close()
    #expect(add("abc", at: 0, to: upload) == .closed)
  }

  @Test func `an upload is idle if no request comes, but not during one`() throws {
    let upload = try RecordingUpload(patience: .zero)
    #expect(upload.isIdle)
    do {
      let slot = try #require(RecordingUpload.Slot(in: upload))
      #expect(!upload.isIdle)
      withExtendedLifetime(slot) {}
    }
    #expect(upload.isIdle)
    let other = try RecordingUpload()
    #expect(!other.isIdle)
  }

  @Test func `at most two requests can have a piece in memory`() throws {
    let upload = try RecordingUpload()
    var slots = [RecordingUpload.Slot(in: upload), RecordingUpload.Slot(in: upload)]
    #expect(slots.allSatisfy { $0 != nil })
    #expect(RecordingUpload.Slot(in: upload) == nil)
    slots.removeLast()
    #expect(RecordingUpload.Slot(in: upload) != nil)
  }
}
