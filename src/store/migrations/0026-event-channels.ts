import type { Migration } from './dialect.ts';

/** Channels are a closed table in the program (core/events): more of them come without another look at every event that is kept. */
export const eventChannels: Migration = {
  version: 26,
  name: 'channels of events',
  statements: ({ kind, id, text, integer, table }) =>
    kind === 'postgres'
      ? ['ALTER TABLE events DROP CONSTRAINT events_channel_check']
      : [
          'DROP INDEX events_by_reader',
          'DROP INDEX events_by_subject',
          'DROP INDEX events_by_age',
          'ALTER TABLE events RENAME TO events_before',
          `CREATE TABLE events (
      event_id ${id},
      seq ${integer} UNIQUE CHECK (seq > 0),
      account_id ${text},
      channel ${text} NOT NULL,
      ref ${text} NOT NULL,
      data ${text} NOT NULL,
      retracts_event_id ${integer},
      created_at ${integer} NOT NULL
    ) ${table}`,
          // No id is given twice, also where its event was deleted.
          `INSERT INTO sqlite_sequence (name, seq) SELECT 'events', seq FROM sqlite_sequence WHERE name = 'events_before'`,
          'INSERT INTO events SELECT event_id, seq, account_id, channel, ref, data, retracts_event_id, created_at FROM events_before',
          'DROP TABLE events_before',
          'CREATE INDEX events_by_reader ON events (channel, account_id, seq) WHERE seq IS NOT NULL',
          'CREATE INDEX events_by_subject ON events (channel, ref, event_id)',
          'CREATE INDEX events_by_age ON events (created_at) WHERE seq IS NOT NULL',
        ],
};
