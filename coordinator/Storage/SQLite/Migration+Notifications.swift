import SQL

extension Migration {
  /// The queue of notifications.
  static let notifications = Migration(
    24, "the notifications of jobs and their deliveries",
    """
    CREATE TABLE notifications (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
      event TEXT NOT NULL,
      percent INTEGER,
      receiver TEXT NOT NULL,
      server TEXT NOT NULL,
      body BLOB NOT NULL,
      state TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      created_at REAL NOT NULL,
      next_at REAL NOT NULL,
      ended_at REAL,
      status INTEGER,
      error TEXT
    ) STRICT;
    CREATE INDEX notifications_by_job ON notifications (job);
    CREATE INDEX pending_notifications ON notifications (next_at) WHERE state = 'pending';
    """)

  /// The finished files that were deleted because of their age.
  static let outputDeletions = Migration(
    26, "finished files that were deleted while their jobs were kept",
    """
    ALTER TABLE jobs ADD COLUMN output_deletion BLOB;
    """)

  /// The pools and the priorities of workers.
  static let pools = Migration(
    25, "the pools and the priorities of workers",
    """
    ALTER TABLE workers ADD COLUMN pools TEXT NOT NULL DEFAULT '';
    ALTER TABLE workers ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
    """)
}
