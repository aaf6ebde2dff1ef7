/** The account's sealed audit log: positions and hashes as `GET /compliance/audit` shows them. */
import { hex } from '../../../core/bytes.ts';
import type { ReportColumn, ReportSummary } from '../../../core/reports/cells.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';

const AT_ONCE = 200;

const columns: readonly ReportColumn[] = [
  { name: 'position', kind: 'integer' },
  { name: 'time', kind: 'time' },
  { name: 'record_id', kind: 'text' },
  { name: 'credential_kind', kind: 'text' },
  { name: 'credential_id', kind: 'text' },
  { name: 'operation', kind: 'text' },
  { name: 'target', kind: 'text' },
  { name: 'outcome', kind: 'text' },
  { name: 'hash', kind: 'text' },
];

async function* pages({ read, accountId, from, to }: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
  let [done, refused, head] = [0, 0, null as string | null];
  for (let position = 0; ; ) {
    const found = await read.audit.sealedFrom(accountId, position, AT_ONCE);
    const inTime = found.filter(({ time }) => time >= from && time < to);
    for (const { outcome } of inTime) {
      if (outcome === 'done') done += 1;
      else refused += 1;
    }
    const rows = inTime.map(({ time, recordId, credentialKind, credentialId, operation, target, outcome, seal }) => [
      ...[seal.position, time, recordId, credentialKind, credentialId, operation, target, outcome, hex(seal.hash)],
    ]);
    head = (rows.at(-1)?.at(-1) as string | undefined) ?? head;
    yield { rows, passed: found.length };
    position += found.length;
    if (found.length < AT_ONCE) break;
  }
  return {
    figures: [
      { name: 'done', kind: 'integer', value: done },
      { name: 'refused', kind: 'integer', value: refused },
      { name: 'last_hash', kind: 'text', value: head },
    ],
    notes: [
      'hash is SHA-256(previous hash || leaf hash). GET /api/v1/compliance/audit/export gives the log as a file that can be verified.',
    ],
    chart: null,
  };
}

export const audit: ReportType = {
  ...{ kind: 'compliance', name: 'audit', title: 'Audit log', columns, ofWallets: false },
  needs: { role: 'operator', scopes: [] },
  count: async ({ read, accountId }) => ((await read.audit.lastSeal(accountId))?.position ?? -1) + 1,
  pages,
};
