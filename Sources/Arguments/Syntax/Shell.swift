/// A shell that can complete commands.
package enum Shell: String, Hashable, Sendable, CaseIterable {
  case bash
  case zsh
  case fish
}
