import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { decodeAddress } from '../../core/relay-policy/address.ts';
import type { OutputKind } from '../../core/relay-policy/standard-scripts.ts';
import type { PageRequest } from '../../store/records.ts';
import type { AddressScanRecord, AddressScanState } from '../../store/repositories/address-scans.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { refusePruned } from '../wallets/birthday-height.ts';
import type { AddressScanView } from './address-service.ts';

/** Scans wait for each other: more of one account would only keep the others' waiting. */
const MAX_OPEN = 20;

/** Finished scans of an account that are kept: a new one takes the place of the oldest. */
const MAX_FINISHED = 1_000;
/** Each with what it found: no request removes more than this. */
const REMOVED_AT_ONCE = 5;

/** Where a script type began on mainnet (BIP141, BIP341): no output of it is older. */
const ACTIVATION: Partial<Record<OutputKind, number>> = { p2wpkh: 481_824, p2wsh: 481_824, p2tr: 709_632 };

export function createAddressScans(deps: {
  store: Store;
  chain: Pick<ChainSource, 'info'>;
  network: Network;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  onQueued: () => void;
}) {
  const { store, chain, network, clock, randomBytes } = deps;
  const decode = (address: string) => addressHere(address, network);

  async function find(
    repositories: Repositories,
    address: string,
    scanId: string,
    accountId: AccountId,
  ): Promise<AddressScanRecord> {
    const { scriptPubKey } = decode(address);
    const scan = await repositories.addressScans.find(accountId, scanId);
    if (scan?.scriptPubKey === scriptPubKey) return scan;
    throw new DomainError('not_found', `there is no scan ${scanId} of this address`, { field: 'scan_id' });
  }

  return {
    /** Queues a scan. Throws `state_conflict` where one of the address waits or runs, `birthday_pruned`, `policy_refused`. */
    async start(address: string, fromHeight: number | null, context: RequestContext) {
      const { accountId } = context;
      const { scriptPubKey, kind } = decode(address);
      const info = await chain.info();
      const first = Math.min(network === 'mainnet' ? (ACTIVATION[kind] ?? 0) : 0, info.height);
      const from = fromHeight ?? first;
      if (from > info.height) {
        throw new DomainError(
          'invalid_value',
          `from_height is above the chain's tip, which is at height ${info.height}`,
          {
            field: 'from_height',
          },
        );
      }
      refusePruned(info, from, 'from_height');
      const view = await store.write(async (tx) => {
        const { data: open } = await tx.addressScans.page(accountId, { scriptPubKey }, { limit: 100, offset: 0 });
        const other = open.find(({ state }) => state === 'queued' || state === 'running');
        if (other !== undefined) {
          throw new DomainError(
            'state_conflict',
            `a scan of this address waits or runs already: wait for ${other.scanId}, or delete it`,
            { field: 'address' },
          );
        }
        if ((await tx.addressScans.countOpen(accountId)) >= MAX_OPEN) {
          throw new DomainError(
            'state_conflict',
            `${MAX_OPEN} scans of this account wait already: wait until some are done`,
          );
        }
        const scan: AddressScanRecord = {
          scanId: newId('scn', randomBytes),
          accountId,
          address: canonical(address),
          scriptPubKey,
          state: 'queued',
          fromHeight: from,
          atHeight: null,
          atHash: null,
          toHeight: info.height,
          error: null,
          restarts: 0,
          createdAt: clock(),
          finishedAt: null,
        };
        for (const scanId of await tx.addressScans.finishedBeyond(accountId, MAX_FINISHED, REMOVED_AT_ONCE))
          await tx.addressScans.remove(accountId, scanId);
        await tx.addressScans.insert(scan);
        const result: AddressScanView = { ...scan, stale: false, totals: null };
        await recordRequest(tx, context, { result, target: scan.scanId });
        return result;
      });
      deps.onQueued();
      return view;
    },

    async page(
      address: string,
      filter: { state?: AddressScanState },
      page: PageRequest,
      { accountId }: RequestContext,
    ) {
      const { scriptPubKey } = decode(address);
      const found = await store.read.addressScans.page(accountId, { ...filter, scriptPubKey }, page);
      return { ...found, data: await Promise.all(found.data.map((scan) => viewScan(store.read, scan))) };
    },

    get: async (address: string, scanId: string, { accountId }: RequestContext) =>
      viewScan(store.read, await find(store.read, address, scanId, accountId)),

    /** Cancels it, or forgets its results. */
    remove: (address: string, scanId: string, context: RequestContext) =>
      store.write(async (tx) => {
        await find(tx, address, scanId, context.accountId);
        await tx.addressScans.remove(context.accountId, scanId);
        await recordRequest(tx, context, { result: undefined, target: scanId });
      }),
  };
}

export type AddressScans = ReturnType<typeof createAddressScans>;

/** A refusal of the address names it as the path's. */
export function addressHere(address: string, network: Network): ReturnType<typeof decodeAddress> {
  try {
    return decodeAddress(address, network);
  } catch (error) {
    throw error instanceof DomainError ? error.at('address') : error;
  }
}

/** bech32 in lower case: one address, one text. */
export const canonical = (address: string): string =>
  /^(bcrt|bc|tb)1/i.test(address) ? address.toLowerCase() : address;

export async function isStale(repositories: Pick<Repositories, 'ledger'>, scan: AddressScanRecord): Promise<boolean> {
  if (scan.state !== 'done' || scan.atHeight === null) return false;
  const followed = await repositories.ledger.blockAt(scan.atHeight);
  return followed !== null && followed.hash !== scan.atHash;
}

async function viewScan(repositories: Repositories, scan: AddressScanRecord): Promise<AddressScanView> {
  const isDone = scan.state === 'done' && scan.atHeight !== null;
  return {
    ...scan,
    stale: await isStale(repositories, scan),
    totals: isDone ? await repositories.addressScans.totals(scan, scan.atHeight as number) : null,
  };
}
