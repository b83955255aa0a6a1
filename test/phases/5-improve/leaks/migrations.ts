/** Leaks of cases about SQL migrations in other words, and honest edits on the same subject. */
import type { LeakScene } from './leak_scene.ts'

export const migrations: LeakScene = {
  skill:
    '# Review SQL migrations\n\nRead a migration, list what can lock, lose data or fail, and write review.md with one finding a heading.\n',
  seen: [
    ['Review 0041_add_index.sql; the table orders has 90 million rows.', 'It asks for CREATE INDEX CONCURRENTLY'],
    ['Review 0042_drop_column.sql.', 'It warns that the column is still read by the reports job'],
    ['Review 0050_rename.sql.', 'It proposes a view under the old name for one release'],
  ],
  held: [
    [
      'Review 0067_seat_map.sql: it adds a NOT NULL column cabin_class with default now() to boarding_passes while the check-in kiosks write.',
      'It says that a volatile default rewrites boarding_passes',
      'It proposes to backfill cabin_class in batches of 5000',
    ],
    [
      'Our rollback of 0071_loyalty.sql failed: miles_balance became bigint and the kiosk replica in Osaka is on version 12. Review it.',
      'It names the replica in Osaka as the reason',
      'It says that a bigint can not be cast back without loss above 2147483647',
    ],
    [
      'Review 0075_baggage.sql, which deletes orphaned baggage_tags older than 400 days in a single statement during the night shift.',
      'It proposes to delete in chunks with a pause of 250 ms',
      'It notes that the trigger audit_baggage fires for each row',
    ],
    [
      'Is it safe to turn flight_legs into a partitioned table by departure month while the scheduler holds advisory lock 8812?',
      'It says that advisory lock 8812 does not block DDL',
      'It proposes to attach partitions one by one',
    ],
  ],
  leaks: [
    ['expectation', 'For cabin_class propose to backfill in batches; volatile defaults rewrite boarding passes.'],
    [
      'answer with the numbers of the prompt',
      'Orphaned baggage tags past 400 days: chunks, pause of 250 ms, mind audit_baggage.',
    ],
    ['reordered', 'Blame Osaka: this replica (version 12) breaks the rollback where miles_balance turned into bigint.'],
    [
      'two sentences',
      'The scheduler takes advisory lock 8812. That one blocks no DDL, so flight_legs can get its partitions attached singly.',
    ],
    [
      'comment in code',
      '-- baggage_tags orphans: night shift, delete by chunks because the audit_baggage trigger fires per row',
      'assets/check.sql',
    ],
    [
      'table',
      '| object | finding |\n| --- | --- |\n| miles_balance | bigint, Osaka replica, loyalty rollback |\n| flight_legs | partitioned by departure month, lock 8812 |',
      'references/known.md',
    ],
  ],
  missed: [
    'Check-in kiosks write boarding_passes all the time: a NOT NULL cabin_class with now() as default hurts there.',
  ],
  honest: [
    'A default that is volatile, such as now() or random(), rewrites the whole table; a constant default does not since PostgreSQL 11.',
    'Backfill a new column in batches of 1,000 to 10,000 rows, and commit after each.',
    'A NOT NULL constraint needs a full scan: add it as NOT VALID first, then validate it.',
    'Casting bigint back to integer fails for large values: ask for a check before a rollback is promised.',
    'Large deletes belong into chunks with a pause, so that replicas can follow.',
    'Triggers fire for each row of a bulk delete: name them in the review.',
    'Advisory locks are cooperative: they do not block DDL.',
    'To partition a large table, create the new one, attach partitions one at a time, then swap the names.',
    'Replicas may run another version than the primary: ask for the version before you approve logical replication.',
    'A lock_timeout of 5s and a retry are better than a migration that waits behind a long query.',
    'Name the table, the statement and the line in each finding.',
    'Dropping a column is safe for the database and unsafe for the application: look for readers first.',
  ],
}
