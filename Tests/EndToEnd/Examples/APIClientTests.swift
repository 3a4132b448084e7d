import Foundation
import Support
import Testing

/// The client in `examples/api_client.py`, which uses the HTTP API without any of Sheaf's programs.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct APIClientTests {
  @Test func `a client that knows only the HTTP API uploads, submits, watches and downloads`()
    throws
  {
    let folder = try TemporaryDirectory()
    let (coordinatorInput, workerInput) = (try SubprocessPipe(), try SubprocessPipe())
    defer {
      for input in [coordinatorInput, workerInput] { try? input.writing.close() }
    }
    let coordinator = Program.coordinator.process(
      ["serve", "--data", folder.path("data"), "--port", "0", "--exit-with-parent"])
    coordinator.standardInput = .pipe(coordinatorInput)
    coordinator.standardError = .null
    let url = try coordinator.startListening()
    let worker = Program.worker.process(
      ["--coordinator", url, "--cache", folder.path, "--exit-with-parent"])
    worker.standardInput = .pipe(workerInput)
    worker.standardError = .null
    try worker.run()

    try SolidClip(color: (80, 128, 128), frameCount: 30).write(to: folder.path("a.mp4"))
    let project =
      #"{"version": 1, "sequence": [{"clip": "a.mp4"}, {"clip": "a.mp4", "out": "1/2"}]}"#
    try Data(project.utf8).write(to: URL(filePath: folder.path("cut.json")))
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../examples/api_client.py").path
    let printed = try Tool.run(
      Tool.python, [script, url, folder.path("cut.json"), folder.path("out.mp4")])
    #expect(
      String(decoding: printed, as: UTF8.self).hasSuffix("completed 45 of 45 frames\n"))
    let frames = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
        "stream=nb_read_frames", "-of", "csv=p=0", folder.path("out.mp4"),
      ])
    #expect(String(decoding: frames, as: UTF8.self) == "45\n")
  }
}
