/** What the account's wallets hold, against what it owes its customers (docs/compliance.md). */

import { hex } from '../../../core/bytes.ts';
import { DomainError } from '../../../core/errors.ts';
import type { ReservesJobs } from '../../../core/reserves/reserves-jobs.ts';
import type { Computing } from '../../../engines/computing/computing.ts';
import { rightsNow } from '../../connections/may-read.ts';
import type { Asker } from '../../policies/spending-of.ts';
import { createProveReserves } from '../../reserves/prove-reserves.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';

type Deps = Parameters<typeof createProveReserves>[0];

export function createProofOfReserves(
  deps: Omit<Deps, 'computing'> & {
    computing: Deps['computing'] & Pick<Computing<ReservesJobs>, 'run'>;
    randomBytes: (size: number) => Uint8Array;
  },
): ReportType {
  const { prove, refuseDenied } = createProveReserves(deps);

  async function* pages({ read, accountId, wallets, input, maker, signal }: ReportSource) {
    const liabilities = { csv: input as string, seed: hex(deps.randomBytes(32)) };
    const asker = () => askerOf(read, maker, deps.clock());
    for await (const { text, passed } of prove({ accountId, asker, wallets, liabilities, signal }))
      yield { rows: [[text]], passed } satisfies ReportPage;
    return { figures: [], notes: [], chart: null };
  }

  return {
    ...{ kind: 'compliance', name: 'proof-of-reserves', title: 'Proof of reserves', columns: [] },
    ...{ ofWallets: true, ofNow: true, pages },
    // It signs messages with the wallets.
    needs: { role: 'operator', scopes: ['wallets:read', 'messages:write'] },
    file: {
      format: 'json',
      async *write(_, pieces) {
        for await (const rows of pieces) yield rows.flat().join('');
      },
    },
    async check({ input, accountId, wallets, asker }) {
      if (input === null) throw new DomainError('invalid_value', 'must be given', { field: 'liabilities' });
      await deps.computing.run('reserves.check', { csv: input }, { accountId });
      await refuseDenied({ accountId, wallets, asker: async () => asker });
    },
    count: async () => null,
  };
}

/** Who asked for it, as the rules see them now. */
async function askerOf(read: ReportSource['read'], maker: ReportSource['maker'], at: number): Promise<Asker> {
  const { accountId, makerKind: kind, makerId: credentialId } = maker;
  const rights = await rightsNow(read, maker, at);
  if (rights === null)
    throw new DomainError('forbidden', `${credentialId}, which asked for it, was revoked or has expired`);
  const userId = kind === 'person' ? credentialId : await voiceOf(read, maker);
  return { accountId, userId, credentialId, role: rights.role, kind };
}

async function voiceOf(read: ReportSource['read'], { accountId, makerKind, makerId }: ReportSource['maker']) {
  const record =
    makerKind === 'api_key'
      ? await read.apiKeys.find(accountId, makerId)
      : await read.oauthClients.find(accountId, makerId);
  return record?.countsAs ?? null;
}
