import Glibc
import Processes

/// `sheaf-media`: opens media for the command line and the coordinator, which start it.
@main struct Program {
  static func main() {
    CoreDumps.prevent()
    BlockedSignals.unblock()
    let arguments = CommandLine.arguments
    if arguments.dropFirst() == ["children"] { ForkServer.serve(MediaCommand.run) }
    exit(MediaCommand.run(arguments))
  }
}
