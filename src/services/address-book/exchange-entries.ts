/** Import and export of an address book as CSV, and the checks of every new entry. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CSV_HEADER, type CsvEntry, csvLine, wrong } from '../../core/address-book/csv.ts';
import type { AddressBookJobs } from '../../core/address-book/csv-job.ts';
import { DomainError, MAX_ERRORS, refuseAll } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { AddressBookRecord } from '../../store/repositories/address-book.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { RulesOf } from '../policies/rules-of.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';

const SLICE = 500;

/** Per account, because a search reads all of them. */
const MAX_ENTRIES = 20_000;
const HOUR_MS = 3_600_000;

export interface AddressBookDependencies {
  readonly store: Store;
  readonly network: Network;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly computing: Computing<AddressBookJobs>;
  readonly rulesOf: RulesOf;
}

/** When an entry that is written at this time becomes effective. */
export const delayed =
  ({ rulesOf }: Pick<AddressBookDependencies, 'rulesOf'>) =>
  async (tx: Repositories, accountId: AccountId, at: number): Promise<number> =>
    at + (await rulesOf(tx, accountId)).config.addressBookDelayHours * HOUR_MS;

/** Throws `too_large` if the account would have too many entries. */
export async function refuseFull(tx: Repositories, accountId: AccountId, more: number): Promise<void> {
  const count = await tx.addressBook.count(accountId);
  if (count + more <= MAX_ENTRIES) return;
  throw new DomainError(
    'too_large',
    `an address book has at most ${MAX_ENTRIES} entries; this one already has ${count}`,
  );
}

export function createExchangeEntries(deps: AddressBookDependencies) {
  const { store, computing, clock, randomBytes } = deps;
  const effectiveAt = delayed(deps);
  return {
    /** All lines or none. Throws the errors of each line, and `already_exists` with the entry that has its address. */
    async import(text: string, context: RequestContext) {
      const slices = await computing.run('address-book.read', { text }, context);
      const at = clock();
      return store.writeLarge(context, async (tx) => {
        const { accountId } = context;
        const times = { effectiveAt: await effectiveAt(tx, accountId, at), createdAt: at, updatedAt: at };
        const taken: DomainError[] = [];
        const imported: CsvEntry[] = [];
        for (const slice of slices) {
          context.signal.throwIfAborted();
          const rows = JSON.parse(slice) as CsvEntry[];
          await refuseFull(tx, accountId, rows.length);
          taken.push(...(await takenOf(tx, accountId, rows)));
          if (taken.length >= MAX_ERRORS) break;
          if (taken.length > 0) continue;
          await tx.addressBook.insert(
            rows.map(({ line: _, ...row }) => ({
              ...{ entryId: newId('abe', randomBytes), accountId, ...row, proof: null, ...times },
            })),
          );
          imported.push(...rows);
        }
        refuseAll(taken);
        const result = { imported: imported.length };
        // So many are refused as too large to be read, without writing them all out.
        const entries = imported.slice(0, 10_000).map(({ line: _, ...row }) => row);
        const change = { before: null, after: { entries } };
        await recordRequest(tx, context, { result, target: null, change });
        return result;
      });
    },

    /** Lines, oldest first, in pieces of some hundred. */
    export: async ({ accountId }: RequestContext) => linesOf(store, accountId),
  };
}

async function takenOf(tx: Repositories, accountId: AccountId, rows: readonly CsvEntry[]): Promise<DomainError[]> {
  const found = await tx.addressBook.byScript(
    accountId,
    rows.map(({ scriptPubKey }) => scriptPubKey),
  );
  const byScript = new Map(found.map((entry) => [entry.scriptPubKey, entry]));
  return rows.flatMap(({ line, scriptPubKey }) => {
    const entry = byScript.get(scriptPubKey);
    if (entry === undefined) return [];
    return [
      wrong(line, 'address', `entry ${entry.entryId} already has it: ${JSON.stringify(entry.name)}`, 'already_exists'),
    ];
  });
}

async function* linesOf({ read }: Pick<Store, 'read'>, accountId: AccountId): AsyncGenerator<string> {
  yield CSV_HEADER;
  let last: AddressBookRecord | null = null;
  do {
    const slice: AddressBookRecord[] = await read.addressBook.slice(accountId, last, SLICE);
    if (slice.length > 0) yield slice.map(csvLine).join('');
    await nextTurn();
    last = slice.length === SLICE ? slice[SLICE - 1]! : null;
  } while (last !== null);
}
