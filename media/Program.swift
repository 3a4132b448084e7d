import Glibc
import Preparation
import Processes

/// `sheaf-media`: opens media for the command line and the coordinator, which start it.
@main struct Program {
  static func main() {
    CoreDumps.prevent()
    // Otherwise, lists of processes would show the number of the descriptor from which the program was started.
    ProcessName.set(MediaChildren.program)
    BlockedSignals.unblock()
    let arguments = CommandLine.arguments
    if arguments.dropFirst().first == "children" { ForkServer.serve(MediaCommand.run) }
    exit(MediaCommand.run(arguments))
  }
}
