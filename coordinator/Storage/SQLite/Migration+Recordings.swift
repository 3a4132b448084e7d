import SQL

extension Migration {
  /// Recordings, their parts and their fragments.
  static let recordings = Migration(
    27, "recordings of live sources",
    """
    CREATE TABLE recordings (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      submission BLOB NOT NULL,
      submitter TEXT,
      key TEXT,
      state TEXT NOT NULL,
      created_at REAL NOT NULL,
      ended_at REAL,
      ignored BLOB,
      failure BLOB,
      outputs BLOB
    ) STRICT;
    CREATE UNIQUE INDEX recordings_by_key ON recordings (coalesce(submitter, ''), key)
      WHERE key IS NOT NULL;
    CREATE INDEX unfinished_recordings ON recordings (number)
      WHERE state NOT IN ('finished', 'failed');

    CREATE TABLE recording_parts (
      recording TEXT NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      part BLOB NOT NULL,
      losses BLOB,
      PRIMARY KEY (recording, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE recording_fragments (
      recording TEXT NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
      part INTEGER NOT NULL,
      number INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      has_gaps INTEGER NOT NULL,
      fragment BLOB NOT NULL,
      PRIMARY KEY (recording, part, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX gaps_of_recordings ON recording_fragments (recording) WHERE has_gaps = 1;
    """)

  /// The excerpts of recordings, with the fragments that each contains.
  static let excerpts = Migration(
    28, "excerpts of recordings",
    """
    CREATE TABLE recording_excerpts (
      recording TEXT NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
      part INTEGER NOT NULL,
      first_fragment INTEGER NOT NULL,
      excerpt BLOB NOT NULL,
      PRIMARY KEY (recording, part, first_fragment)
    ) STRICT, WITHOUT ROWID;
    """)
}
