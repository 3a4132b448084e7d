import Confinement
import Crypto
import FarmAPI
import Media
import Preparation
import Sheaf
import Timeline

/// The service `join`, which turns a recording into ordinary files.
struct Joining: ChildService {
  func sandbox(for first: JoiningRequest) -> Sandbox {
    Sandbox(limits: .join, readable: first.parts.map(\.folder), writable: [first.output])
  }

  func handle(_ request: JoiningRequest) throws -> ChildAnswer {
    let runs = try RecordedMovie.runs(
      of: request.parts.map {
        RecordedMovie.Part(folder: $0.folder, start: $0.start, fragments: $0.fragments)
      })
    guard !runs.isEmpty else {
      throw MediaError(
        .emptyFile, "nothing was recorded", on: request.name,
        remedy: "check that the source sends a keyframe")
    }
    let films = try runs.flatMap { run in
      try request.splitLength.map { try RecordedMovie.split(run, every: $0) } ?? [run]
    }
    let contents = try films.enumerated().map { number, film in
      try RecordedMovie.write(
        film, to: "\(request.output)/\(number).mp4",
        from: number == 0 ? .zero : RecordedMovie.start(of: film), isDurable: request.isDurable)
    }
    return .joined(contents)
  }
}
