/// A shell that can complete commands.
package enum Shell: String, Hashable, Sendable, CaseIterable {
  case bash = "bash"
  case zsh = "zsh"
  case fish = "fish"
}
