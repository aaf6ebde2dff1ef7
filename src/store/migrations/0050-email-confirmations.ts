import type { Migration } from './dialect.ts';

/** A row of each address that a code was mailed to; it is kept for as long as the mail counts against the limits, also after its use. */
export const emailConfirmations: Migration = {
  version: 50,
  name: 'confirmed e-mail addresses, predecessors of keys, notifications by status',
  statements: ({ text, integer, clustered }) => [
    `ALTER TABLE users ADD COLUMN email_verified_at ${integer}`,
    `CREATE TABLE email_confirmations (
      email ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      user_id ${text} NOT NULL REFERENCES users (user_id),
      digest ${text},
      tries ${integer} NOT NULL,
      day ${integer} NOT NULL,
      sent ${integer} NOT NULL,
      expires_at ${integer} NOT NULL
    ) ${clustered}`,
    'CREATE INDEX email_confirmations_by_day ON email_confirmations (account_id, day)',
    'CREATE INDEX email_confirmations_by_expiry ON email_confirmations (expires_at)',
    // Who a rotated key was before (services/notifications/inbox.ts).
    'CREATE INDEX api_keys_by_successor ON api_keys (account_id, rotated_to) WHERE rotated_to IS NOT NULL',
    // Few beside those that were sent.
    `CREATE INDEX notifications_unsent ON notifications (account_id, created_at, notification_id)
      WHERE waiting > 0 OR failed > 0 OR cancelled_at IS NOT NULL`,
  ],
};
