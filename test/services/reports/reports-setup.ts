/** Reports of rows that are made up, on a store of their own; a worker of each start of the process. */
import { randomBytes } from 'node:crypto';
import type { Row } from '../../../src/core/reports/cells.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { createReports } from '../../../src/services/reports/index.ts';
import type { ReportType } from '../../../src/services/reports/report-type.ts';
import { createLocalKeyProvider } from '../../../src/services/secrets/local-key-provider.ts';
import { requestContext } from '../../builders/request-context.ts';
import { accountRecord, apiKeyRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';

const PAGE = 200;
const filler = 'the quick brown fox jumps over the lazy dog, and again, '.repeat(3);
const rowOf = (n: number): Row => [1_800_000_000_000 + n, `${filler}${n}`, BigInt(n)];

/** `options.rows` rows; `gate` is awaited before each page. */
export const numbers = (gate: (passed: number) => Promise<void> = async () => {}): ReportType => ({
  ...{ kind: 'analytics', name: 'numbers', title: 'Numbers', ofWallets: false },
  needs: { role: 'viewer', scopes: ['transactions:read'] },
  columns: [
    { name: 'time', kind: 'time' },
    { name: 'text', kind: 'text' },
    { name: 'amount', kind: 'btc' },
  ],
  count: async ({ options }) => options.rows as number,
  async *pages({ options }) {
    const all = options.rows as number;
    for (let at = 0; at < all; at += PAGE) {
      await gate(at);
      const rows = Array.from({ length: Math.min(PAGE, all - at) }, (_, n) => rowOf(at + n));
      yield { rows, passed: rows.length };
    }
    return { figures: [{ name: 'rows', kind: 'integer', value: all }], notes: [], chart: null };
  },
});

export async function openReports() {
  const { store, path, close } = await openTemporarySqlite();
  const keyProvider = createLocalKeyProvider({ masterKey: randomBytes(32), randomBytes });
  await store.write(async (tx) => {
    for (const account of ['one', 'two'] as const) {
      await tx.accounts.insert(accountRecord(`acc_${account}`));
      const names = {
        keyId: `key_${account}`,
        accountId: `acc_${account}`,
        prefix: `prefix${account.slice(0, 2)}`,
      } as const;
      await tx.apiKeys.insert(apiKeyRecord({ ...names, scopes: ['*'] }));
    }
  });
  const tools = { network: 'regtest', randomBytes } as const;
  const here = computeHere(tools);
  const start = (types: readonly ReportType[] = [numbers()]) =>
    createReports({
      ...{ store, keyProvider, types, randomBytes, clock: Date.now, log: silent },
      computing: { runPart: async (name, given, whose) => ({ made: await here.run(name, given, whose), tookMs: 0 }) },
    });
  const contextOf = (account: 'one' | 'two' = 'one') => {
    const context = requestContext({ accountId: `acc_${account}` });
    const credential = { ...context.credential, kind: 'api_key' as const, id: `key_${account}`, scopes: ['*'] };
    return { ...context, credential };
  };
  const asked = (rows: number, format: 'csv' | 'json' | 'xlsx' | 'pdf' = 'csv') => ({
    ...({ kind: 'analytics', type: 'numbers', format, from: 0, to: undefined } as const),
    ...{ timezone: 'UTC', wallets: null, options: { rows } },
  });
  return { store, path, close, start, contextOf, asked };
}
