import SQL

extension Migration {
  /// The migrations of the ledger's schema. A released migration never changes.
  ///
  /// The primary key of a WITHOUT ROWID table lists the table's first columns, in their order (see migration 10). A ledger
  /// of each number is kept in `Tests/StorageTests/Fixtures`.
  package static let ledger = [
    Migration(
      1, "jobs, segments, attempts, workers and assets",
      """
      CREATE TABLE plans (
        hash TEXT PRIMARY KEY,
        body BLOB NOT NULL
      ) STRICT;

      CREATE TABLE jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        state TEXT NOT NULL,
        created_at REAL NOT NULL,
        finished_at REAL,
        submission BLOB NOT NULL,
        plan TEXT REFERENCES plans (hash),
        frame_count INTEGER,
        frame_duration REAL,
        fingerprint TEXT,
        failure_code TEXT,
        failure_message TEXT,
        output_name TEXT,
        output_bytes INTEGER,
        output_sha256 TEXT
      ) STRICT;

      CREATE TABLE workers (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        slots INTEGER NOT NULL,
        fingerprint TEXT NOT NULL,
        is_draining INTEGER NOT NULL DEFAULT 0,
        is_forgotten INTEGER NOT NULL DEFAULT 0
      ) STRICT;

      CREATE TABLE segments (
        job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        first_frame INTEGER NOT NULL,
        end_frame INTEGER NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        expiries INTEGER NOT NULL DEFAULT 0,
        token TEXT,
        worker TEXT REFERENCES workers (id),
        chunk_sha256 TEXT,
        chunk_bytes INTEGER,
        PRIMARY KEY (job, number)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX segments_by_token ON segments (token);
      CREATE INDEX segments_by_chunk ON segments (chunk_sha256);

      CREATE TABLE failures (
        id INTEGER PRIMARY KEY,
        job TEXT NOT NULL,
        segment INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        worker TEXT NOT NULL REFERENCES workers (id),
        code TEXT NOT NULL,
        message TEXT NOT NULL,
        is_permanent INTEGER NOT NULL,
        FOREIGN KEY (job, segment) REFERENCES segments (job, number) ON DELETE CASCADE
      ) STRICT;
      CREATE INDEX failures_by_segment ON failures (job, segment);

      CREATE TABLE shared_assets (
        digest TEXT PRIMARY KEY,
        path TEXT NOT NULL,
        bytes INTEGER NOT NULL
      ) STRICT;
      """),
    Migration(
      2, "the loudness of each job",
      """
      ALTER TABLE jobs ADD COLUMN loudness BLOB;
      """),
    Migration(
      3, "the owners of jobs and assets",
      """
      ALTER TABLE jobs ADD COLUMN submitter TEXT;

      CREATE TABLE asset_owners (
        digest TEXT NOT NULL,
        owner TEXT NOT NULL,
        PRIMARY KEY (owner, digest)
      ) STRICT, WITHOUT ROWID;
      """),
    Migration(
      4, "attempts with their leases, and the priority of jobs",
      """
      ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;

      CREATE TABLE attempts (
        token TEXT PRIMARY KEY,
        job TEXT NOT NULL,
        segment INTEGER NOT NULL,
        number INTEGER NOT NULL,
        worker TEXT NOT NULL REFERENCES workers (id),
        outcome TEXT,
        FOREIGN KEY (job, segment) REFERENCES segments (job, number) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX attempts_by_segment ON attempts (job, segment);

      INSERT INTO attempts (token, job, segment, number, worker, outcome)
        SELECT token, job, number, attempts, worker,
          CASE state WHEN 'leased' THEN NULL WHEN 'completed' THEN 'completed' ELSE 'ended' END
        FROM segments WHERE token IS NOT NULL AND worker IS NOT NULL;

      DROP INDEX segments_by_token;
      ALTER TABLE segments DROP COLUMN token;
      """),
    Migration(
      5, "accepted chunks by their content keys, for later jobs",
      """
      CREATE TABLE kept_chunks (
        content_key TEXT PRIMARY KEY,
        fingerprint TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        used_at REAL NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX kept_chunks_by_sha256 ON kept_chunks (sha256);
      CREATE INDEX kept_chunks_by_fingerprint ON kept_chunks (fingerprint);
      CREATE INDEX kept_chunks_by_use ON kept_chunks (used_at);
      """),
    Migration(
      6, "the final progress of ended jobs",
      """
      ALTER TABLE jobs ADD COLUMN final_progress BLOB;
      """),
    Migration(
      7, "the assets fetched for each job",
      """
      CREATE TABLE fetched_assets (
        job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        url TEXT NOT NULL,
        digest TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        PRIMARY KEY (job, url)
      ) STRICT, WITHOUT ROWID;
      """),
    Migration(
      8, "the reason for the frame rate of each job",
      """
      ALTER TABLE jobs ADD COLUMN frame_rate BLOB;
      """),
    Migration(
      9, "idempotency keys, to recognize a submission that is sent again",
      """
      ALTER TABLE jobs ADD COLUMN idempotency_key TEXT;
      ALTER TABLE jobs ADD COLUMN body_sha256 TEXT;
      CREATE INDEX jobs_by_idempotency_key ON jobs (idempotency_key)
        WHERE idempotency_key IS NOT NULL;
      """),
    // SQLite 3.40's quick_check reports NULL values in a WITHOUT ROWID table whose key is not in the order of its columns.
    Migration(
      10, "owners of assets in the order of their key",
      """
      CREATE TABLE owned_assets (
        owner TEXT NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (owner, digest)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO owned_assets (owner, digest) SELECT owner, digest FROM asset_owners;
      DROP TABLE asset_owners;
      ALTER TABLE owned_assets RENAME TO asset_owners;
      """),
    Migration(
      11, "the limits that a job was accepted under",
      """
      ALTER TABLE jobs ADD COLUMN limits BLOB;
      """),
    Migration(
      12, "the damaged media that chunks and sound conceal",
      """
      CREATE TABLE chunk_concealments (
        sha256 TEXT PRIMARY KEY,
        concealments BLOB NOT NULL
      ) STRICT, WITHOUT ROWID;
      ALTER TABLE jobs ADD COLUMN concealed_sound BLOB;
      """),
    Migration(
      13, "who delivered each chunk",
      """
      CREATE TABLE deliveries (
        id INTEGER PRIMARY KEY,
        sha256 TEXT NOT NULL,
        worker TEXT NOT NULL REFERENCES workers (id),
        token TEXT,
        token_name TEXT,
        job TEXT NOT NULL,
        segment INTEGER NOT NULL,
        delivered_at REAL NOT NULL
      ) STRICT;
      CREATE INDEX deliveries_by_sha256 ON deliveries (sha256);
      CREATE INDEX deliveries_by_worker ON deliveries (worker);
      CREATE INDEX deliveries_by_token ON deliveries (token);

      ALTER TABLE segments ADD COLUMN delivery INTEGER REFERENCES deliveries (id);
      ALTER TABLE kept_chunks ADD COLUMN delivery INTEGER REFERENCES deliveries (id);

      INSERT INTO deliveries (sha256, worker, job, segment, delivered_at)
        SELECT chunk_sha256, worker, job, segments.number, coalesce(finished_at, unixepoch('now'))
        FROM segments JOIN jobs ON jobs.id = segments.job
        WHERE chunk_sha256 IS NOT NULL AND worker IS NOT NULL;
      UPDATE segments SET delivery =
        (SELECT min(id) FROM deliveries WHERE sha256 = chunk_sha256)
        WHERE chunk_sha256 IS NOT NULL;
      UPDATE kept_chunks SET delivery =
        (SELECT min(id) FROM deliveries WHERE deliveries.sha256 = kept_chunks.sha256);
      """),
    Migration(
      14, "chunks that are compared, and workers that are not trusted",
      """
      CREATE TABLE held_chunks (
        job TEXT NOT NULL,
        segment INTEGER NOT NULL,
        delivery INTEGER NOT NULL REFERENCES deliveries (id),
        lease TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        PRIMARY KEY (job, segment, delivery),
        FOREIGN KEY (job, segment) REFERENCES segments (job, number) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE distrusted_workers (
        name TEXT NOT NULL,
        token TEXT,
        reason TEXT NOT NULL,
        since REAL NOT NULL
      ) STRICT;
      CREATE INDEX distrusted_workers_by_name ON distrusted_workers (name);

      ALTER TABLE workers ADD COLUMN token TEXT;
      """),
    Migration(
      15, "the number of bytes in each owner's assets",
      """
      ALTER TABLE asset_owners ADD COLUMN bytes INTEGER;
      """),
    Migration(
      16, "projects and plans in files of their own, and how often a job was planned",
      """
      ALTER TABLE jobs ADD COLUMN planning_tries INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE jobs ADD COLUMN project TEXT;
      ALTER TABLE jobs ADD COLUMN project_assets BLOB;
      ALTER TABLE jobs ADD COLUMN asset_digests BLOB;
      ALTER TABLE jobs ADD COLUMN plan_file TEXT;
      ALTER TABLE jobs ADD COLUMN plan_facts BLOB;

      ALTER TABLE segments ADD COLUMN cost INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE segments ADD COLUMN content TEXT;
      ALTER TABLE segments ADD COLUMN plan_offset INTEGER;
      ALTER TABLE segments ADD COLUMN plan_length INTEGER;
      ALTER TABLE segments ADD COLUMN plan_digest TEXT;
      ALTER TABLE segments ADD COLUMN assets BLOB;
      """),
    Migration(
      17, "indexes that find what refers to a delivery",
      """
      CREATE INDEX segments_by_delivery ON segments (delivery);
      CREATE INDEX kept_chunks_by_delivery ON kept_chunks (delivery);
      CREATE INDEX held_chunks_by_delivery ON held_chunks (delivery);
      """),
    Migration(
      18, "completed jobs that were retried because their finished files were lost",
      """
      CREATE TABLE lost_outputs (
        job TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
        plan TEXT REFERENCES plans (hash),
        plan_file TEXT,
        plan_facts BLOB,
        frame_count INTEGER,
        frame_duration REAL,
        frame_rate BLOB,
        fingerprint TEXT,
        loudness BLOB,
        concealed_sound BLOB,
        final_progress BLOB
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE lost_segments (
        job TEXT NOT NULL REFERENCES lost_outputs (job) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        first_frame INTEGER NOT NULL,
        end_frame INTEGER NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        expiries INTEGER NOT NULL,
        worker TEXT REFERENCES workers (id),
        chunk_sha256 TEXT,
        chunk_bytes INTEGER,
        delivery INTEGER REFERENCES deliveries (id),
        cost INTEGER NOT NULL,
        content TEXT,
        plan_offset INTEGER,
        plan_length INTEGER,
        plan_digest TEXT,
        assets BLOB,
        PRIMARY KEY (job, number)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX lost_segments_by_chunk ON lost_segments (chunk_sha256);
      CREATE INDEX lost_segments_by_delivery ON lost_segments (delivery);
      """),
    Migration(
      19, "the number of concealed parts in each segment, to count them without reading them",
      """
      ALTER TABLE segments ADD COLUMN concealed INTEGER;
      CREATE INDEX concealed_segments ON segments (job, number, concealed)
        WHERE concealed IS NOT NULL;
      UPDATE segments SET concealed = (
        SELECT nullif(json_array_length(CAST(concealments AS TEXT)), 0) FROM chunk_concealments
        WHERE sha256 = chunk_sha256)
      WHERE chunk_sha256 IN (SELECT sha256 FROM chunk_concealments);
      """),
    // The columns are emptied first, because each DROP COLUMN writes every row of the table again.
    Migration(
      20, "the large parts of jobs in rows of their own, and the assets that workers read for them",
      """
      CREATE TABLE leased_assets (
        job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        digest TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        path TEXT,
        blocks TEXT NOT NULL,
        PRIMARY KEY (job, digest)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE job_blobs (
        job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (job, name)
      ) STRICT;
      INSERT INTO job_blobs (job, name, bytes)
        SELECT id, 'project_assets', project_assets FROM jobs WHERE project_assets IS NOT NULL;
      INSERT INTO job_blobs (job, name, bytes)
        SELECT id, 'asset_digests', asset_digests FROM jobs WHERE asset_digests IS NOT NULL;
      INSERT INTO job_blobs (job, name, bytes)
        SELECT id, 'plan_facts', plan_facts FROM jobs WHERE plan_facts IS NOT NULL;
      INSERT INTO job_blobs (job, name, bytes)
        SELECT id, 'concealed_sound', concealed_sound FROM jobs WHERE concealed_sound IS NOT NULL;
      INSERT INTO job_blobs (job, name, bytes)
        SELECT id, 'first_concealed_sound', (
          SELECT CAST(json_group_array(json(value)) AS BLOB) FROM (
            SELECT value FROM json_each(CAST(concealed_sound AS TEXT)) LIMIT 20))
        FROM jobs WHERE concealed_sound IS NOT NULL;

      ALTER TABLE jobs ADD COLUMN concealed_sounds INTEGER;
      UPDATE jobs SET
        concealed_sounds = nullif(json_array_length(CAST(concealed_sound AS TEXT)), 0),
        project_assets = NULL, asset_digests = NULL, plan_facts = NULL, concealed_sound = NULL;
      ALTER TABLE jobs DROP COLUMN project_assets;
      ALTER TABLE jobs DROP COLUMN asset_digests;
      ALTER TABLE jobs DROP COLUMN plan_facts;
      ALTER TABLE jobs DROP COLUMN concealed_sound;

      ALTER TABLE lost_outputs ADD COLUMN concealed_sounds INTEGER;
      ALTER TABLE lost_outputs ADD COLUMN first_concealed_sound BLOB;
      UPDATE lost_outputs SET
        concealed_sounds = nullif(json_array_length(CAST(concealed_sound AS TEXT)), 0),
        first_concealed_sound = (
          SELECT CAST(json_group_array(json(value)) AS BLOB) FROM (
            SELECT value FROM json_each(CAST(concealed_sound AS TEXT)) LIMIT 20))
      WHERE concealed_sound IS NOT NULL;

      CREATE TABLE concealment_summaries (
        sha256 TEXT PRIMARY KEY REFERENCES chunk_concealments (sha256) ON DELETE CASCADE,
        parts INTEGER NOT NULL,
        first_parts BLOB NOT NULL
      ) STRICT, WITHOUT ROWID;
      INSERT INTO concealment_summaries (sha256, parts, first_parts)
        SELECT sha256, json_array_length(CAST(concealments AS TEXT)), (
          SELECT CAST(json_group_array(json(value)) AS BLOB) FROM (
            SELECT value FROM json_each(CAST(concealments AS TEXT)) LIMIT 20))
        FROM chunk_concealments;
      """),
    Migration(
      21, "the memory that workers have and segments need",
      """
      ALTER TABLE workers ADD COLUMN memory INTEGER;
      ALTER TABLE segments ADD COLUMN peak_memory INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE lost_segments ADD COLUMN peak_memory INTEGER NOT NULL DEFAULT 0;
      """),
    Migration(
      22, "how segments are made, and the course and the log of each attempt",
      """
      ALTER TABLE segments ADD COLUMN method TEXT;
      ALTER TABLE lost_segments ADD COLUMN method TEXT;
      ALTER TABLE jobs ADD COLUMN started_at REAL;

      ALTER TABLE attempts ADD COLUMN is_copy INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE attempts ADD COLUMN started_at REAL;
      ALTER TABLE attempts ADD COLUMN ended_at REAL;
      ALTER TABLE attempts ADD COLUMN frames INTEGER;
      ALTER TABLE attempts ADD COLUMN code TEXT;
      ALTER TABLE attempts ADD COLUMN message TEXT;
      CREATE INDEX attempts_by_start ON attempts (job, started_at, segment, number);
      UPDATE attempts SET (code, message) = (
        SELECT code, message FROM failures
        WHERE failures.job = attempts.job AND failures.segment = attempts.segment
          AND failures.attempt = attempts.number ORDER BY id DESC LIMIT 1)
      WHERE outcome IN ('failed', 'stuck');

      CREATE TABLE attempt_logs (
        lease TEXT NOT NULL PRIMARY KEY REFERENCES attempts (token) ON DELETE CASCADE,
        log TEXT NOT NULL
      ) STRICT;
      """),
    Migration(
      23, "the hosts, processor cores and versions of workers",
      """
      ALTER TABLE workers ADD COLUMN host TEXT;
      ALTER TABLE workers ADD COLUMN cores INTEGER;
      ALTER TABLE workers ADD COLUMN version TEXT;
      """),
    .notifications, .pools, .outputDeletions, .recordings, .excerpts,
  ]
}
