import Foundation

/// Levels and the factors that they stand for.
enum Decibels {
  /// The factor of a level in decibels.
  static func factor(_ level: Double) -> Double { pow(10, level / 20) }

  /// The level of a factor in decibels; minus infinity for 0.
  static func level(_ factor: Double) -> Double { 20 * log10(factor) }

  /// The factor whose level is the given part of another factor's level.
  static func power(of factor: Double, _ part: Double) -> Double { pow(factor, part) }
}
