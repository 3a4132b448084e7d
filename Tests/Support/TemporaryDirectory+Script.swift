import Foundation

extension TemporaryDirectory {
  /// Functions with which a script exchanges messages with its parent: `receive` sets `request`, and fails at the end of
  /// the stream; `answer` sends its argument. Each message is its length in four bytes, the lowest first, four zeros, and
  /// its bytes. `await` waits for a file, and ends the script if there is none after a minute.
  private static let functions = #"""
    receive() {
      count=$(head -c 8 <&0 | od -An -tu4 -N4 | tr -d ' ')
      [ -n "$count" ] || return 1
      request=$(head -c "$count" <&0)
    }
    answer() {
      n=${#1}
      length=$(printf '\\0%03o\\0%03o\\0%03o\\0000' $((n & 255)) $((n >> 8 & 255)) $((n >> 16)))
      printf '%b%b%s' "$length" '\0000\0000\0000\0000' "$1" >&0
    }
    await() {
      for look in $(seq 18000); do
        [ ! -e "$1" ] || return 0
        sleep 0.01
      done
      echo "$1 is missing" >&2
      exit 1
    }
    """#

  /// Writes a shell script as an executable, and returns its path. It can `receive` and `answer` messages, and `await`
  /// files.
  public func script(_ body: String) throws -> String {
    let (text, path) = (path("child.sh"), path("child"))
    try "#!/bin/sh\n\(Self.functions)\n\(body)\n"
      .write(toFile: text, atomically: false, encoding: .utf8)
    // Another process writes the executable. A child that another test starts has a copy of all of this process's files
    // for a moment, and a file that is open for writing cannot be run.
    try Tool.run("install", ["-m", "755", text, path])
    return path
  }
}
