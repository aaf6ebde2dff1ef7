import type { ColumnTypes, Migration } from './dialect.ts';

/** Whatever changes a payment of a proposal, or an approval that its execution waits for, has it looked at again: nothing can forget it. */
function lookedAt({ kind }: ColumnTypes, name: string, on: string, when: string, proposal: string): string[] {
  const body = `UPDATE governance_proposals SET execution_due_at = 0 WHERE account_id = NEW.account_id AND proposal_id = ${proposal};`;
  return kind === 'sqlite'
    ? [`CREATE TRIGGER ${name} AFTER ${on} WHEN ${when} BEGIN ${body} END`]
    : [
        `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NULL; END $$`,
        `CREATE TRIGGER ${name} AFTER ${on} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`,
      ];
}
const OF_PAYMENT = `(SELECT proposal_id FROM governance_executions
  WHERE account_id = NEW.account_id AND txid = NEW.unsigned_txid)`;

export const executions: Migration = {
  version: 71,
  name: 'executions of proposals: how far they have come, and when that is looked at again',
  statements: (types) => [
    ...[
      `execution ${types.text}`,
      `execution_status ${types.text}`,
      `execution_since ${types.integer}`,
      `execution_due_at ${types.integer}`,
      `executed_at ${types.integer}`,
    ].map((column) => `ALTER TABLE governance_proposals ADD COLUMN ${column}`),
    `UPDATE governance_proposals SET execution_due_at = 0 WHERE status = 'passed' OR cancelled_at IS NOT NULL`,
    'CREATE INDEX governance_proposals_by_execution ON governance_proposals (account_id, execution_status, created_at, proposal_id)',
    `CREATE INDEX governance_executions_due ON governance_proposals (execution_due_at, account_id)
      WHERE execution_due_at IS NOT NULL`,
    `CREATE INDEX governance_executions_due_of ON governance_proposals (account_id, execution_due_at)
      WHERE execution_due_at IS NOT NULL`,
    ...lookedAt(
      types,
      'governance_payment_moved',
      'UPDATE OF status ON transactions',
      `OLD.status <> NEW.status AND NEW.direction <> 'incoming'`,
      OF_PAYMENT,
    ),
    ...lookedAt(
      types,
      'governance_approval_opened',
      'INSERT ON approvals',
      `NEW.request_of = 'dao.execute'`,
      'NEW.subject',
    ),
    ...lookedAt(
      types,
      'governance_approval_moved',
      'UPDATE OF status, done_at ON approvals',
      `NEW.request_of = 'dao.execute'`,
      'NEW.subject',
    ),
  ],
};
