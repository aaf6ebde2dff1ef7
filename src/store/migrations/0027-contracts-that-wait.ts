import { triggersOf } from './0021-what-is-spent.ts';
import type { ColumnTypes, Migration } from './dialect.ts';

const STATUSES = `('awaiting_approval', 'offered', 'accepted', 'signed', 'funded', 'confirmed', 'executed', 'refunded',
      'closed', 'cancelled', 'failed')`;

/** Written in the questions (repositories/due-contracts.ts, metrics.ts) in the same words: only then are they taken. */
const INDEXES: Readonly<Record<string, string>> = {
  contracts_by_status: 'ON contracts (account_id, status, created_at, contract_id)',
  contracts_open: `ON contracts (created_at, contract_id)
    WHERE (status in ('awaiting_approval', 'offered', 'accepted', 'signed', 'funded', 'confirmed', 'executed', 'refunded')
      or (status = 'closed' and closing_kind = 'cet' and outcome is null))`,
  contracts_in_hand: `ON contracts (created_at, contract_id)
    WHERE ((status = 'awaiting_approval' and attested > 0)
      or (status = 'offered' and (role = 'both' or attested > 0 or (role = 'accepter' and accept_side is not null)))
      or (status = 'accepted' and (role <> 'accepter' or attested > 0))
      or (status = 'signed' and role <> 'offerer')
      or status in ('executed', 'refunded')
      or (status in ('funded', 'confirmed') and closing_txid is not null and closing_height is null)
      or (status = 'closed' and closing_kind = 'cet' and outcome is null))`,
  contracts_expiring: `ON contracts (expires_at)
    WHERE (status in ('awaiting_approval', 'offered', 'accepted') and expires_at is not null)`,
  contracts_refundable: `ON contracts (refund_locktime)
    WHERE (status in ('awaiting_approval', 'offered', 'accepted') or (status = 'confirmed' and closing_txid is null))`,
  contracts_attested: `ON contracts (cet_locktime)
    WHERE (status = 'confirmed' and closing_txid is null and attested >= threshold)`,
  contracts_unfinished: `ON contracts (status, refund_locktime)
    WHERE status in ('awaiting_approval', 'offered', 'accepted', 'signed', 'funded', 'confirmed', 'executed', 'refunded')`,
};

/** Of a table that others refer to, SQLite changes a check with its column: without what goes by the column, which is then made again. */
const widenedOnSqlite = ({ text }: ColumnTypes): string[] => [
  'DROP TRIGGER contracts_counted_insert',
  'DROP TRIGGER contracts_counted_update',
  'ALTER TABLE contracts RENAME COLUMN status TO status_before',
  `ALTER TABLE contracts ADD COLUMN status ${text} NOT NULL DEFAULT 'offered' CHECK (status IN ${STATUSES})`,
  'UPDATE contracts SET status = status_before',
  'ALTER TABLE contracts DROP COLUMN status_before',
];

const widenedOnPostgres = (): string[] => [
  'ALTER TABLE contracts DROP CONSTRAINT contracts_status_check',
  `ALTER TABLE contracts ADD CONSTRAINT contracts_status_check CHECK (status IN ${STATUSES})`,
];

export const contractsThatWait: Migration = {
  version: 27,
  name: 'contracts that wait for approvals',
  statements: (types) => [
    ...Object.keys(INDEXES).map((name) => `DROP INDEX ${name}`),
    ...(types.kind === 'sqlite' ? widenedOnSqlite(types) : widenedOnPostgres()),
    ...Object.entries(INDEXES).map(([name, definition]) => `CREATE INDEX ${name} ${definition}`),
    ...(types.kind === 'sqlite' ? triggersOf('contracts') : []),
    `ALTER TABLE contracts ADD COLUMN approval_id ${types.text}`,
    `ALTER TABLE contracts ADD COLUMN policy ${types.text}`,
  ],
};
