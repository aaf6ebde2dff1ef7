import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { type Txid, txid } from '../../core/outpoint.ts';
import type { Page, PageRequest, WalletId } from '../../store/records.ts';
import type { AddressScanRecord } from '../../store/repositories/address-scans.ts';
import type { Store } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { AddressHistoryEntry, AddressSource, AddressUtxo } from './address-service.ts';
import { addressHere, canonical, isStale } from './manage-address-scans.ts';

interface Place {
  readonly address: string;
  readonly scriptPubKey: string;
  readonly accountId: AccountId;
}
interface Watched {
  readonly walletId: WalletId;
  readonly tip: AddressSource['asOf'];
}

type Chain = Pick<ChainSource, 'addressSummary' | 'addressOutputs' | 'addressTransactions'>;

/**
 * What is known of an address, from the first that knows: a wallet that watches it (and the mempool with it), the chain source's own
 * index, the account's last finished scan.
 */
export function createAddressLookups(deps: { store: Store; chain: Chain; network: Network }) {
  const { store, chain, network } = deps;
  const { read } = store;

  const placeOf = (address: string, accountId: AccountId): Place => ({
    address: canonical(address),
    scriptPubKey: addressHere(address, network).scriptPubKey,
    accountId,
  });

  async function watchedBy({ accountId, scriptPubKey }: Place): Promise<Watched | null> {
    const walletId = await read.addressHistory.walletWatching(accountId, scriptPubKey);
    if (walletId === null) return null;
    const wallet = await read.wallets.find(accountId, walletId);
    // While it is scanned its history has holes.
    if (wallet?.scan.state !== 'idle') return null;
    const tip = await read.ledger.tip();
    return { walletId, tip: tip && { height: tip.height, hash: tip.hash } };
  }

  async function lastScan({ accountId, scriptPubKey }: Place): Promise<AddressScanRecord | null> {
    const scan = await read.addressScans.latestDone(accountId, scriptPubKey);
    return scan === null || (await isStale(read, scan)) ? null : scan;
  }

  const ofWallet = ({ walletId, tip }: Watched): AddressSource => ({
    source: 'wallet',
    walletId,
    scanId: null,
    asOf: tip,
  });
  const ofScan = (scan: AddressScanRecord): AddressSource => ({
    source: 'scan',
    walletId: null,
    scanId: scan.scanId,
    asOf: scan.atHeight === null || scan.atHash === null ? null : { height: scan.atHeight, hash: scan.atHash },
  });
  const INDEX: AddressSource = { source: 'esplora', walletId: null, scanId: null, asOf: null };

  return {
    /** All throw `invalid_address`, `wrong_network`, and `no_index` where nothing here knows the address. */
    async balance(address: string, { accountId }: RequestContext) {
      const place = placeOf(address, accountId);
      const watched = await watchedBy(place);
      if (watched) {
        const totals = await read.addressHistory.totals(
          accountId,
          watched.walletId,
          place.scriptPubKey,
          watched.tip?.height ?? 0,
        );
        return { ...totals, ...ofWallet(watched) };
      }
      const summary = await chain.addressSummary(place.address);
      if (summary) return { ...summary, ...INDEX };
      const scan = await lastScan(place);
      if (scan)
        return { ...(await read.addressScans.totals(scan, scan.atHeight ?? 0)), ...ofScan(scan), pendingSats: null };
      throw unknownHere();
    },

    async utxos(address: string, page: PageRequest, { accountId }: RequestContext) {
      const place = placeOf(address, accountId);
      const watched = await watchedBy(place);
      if (watched) {
        const found = await read.addressHistory.unspent(accountId, watched.walletId, place.scriptPubKey, page);
        return { source: ofWallet(watched), page: found };
      }
      const outputs = await chain.addressOutputs(place.address);
      if (outputs) return { source: INDEX, page: pageOfAll(outputs, page) };
      const scan = await lastScan(place);
      if (scan) return { source: ofScan(scan), page: await read.addressScans.unspent(scan, page) };
      throw unknownHere();
    },

    async transactions(address: string, page: PageRequest, { accountId }: RequestContext) {
      const place = placeOf(address, accountId);
      const watched = await watchedBy(place);
      if (watched) {
        const found = await read.addressHistory.entries(accountId, watched.walletId, place.scriptPubKey, page);
        return { source: ofWallet(watched), page: found };
      }
      const indexed = await indexedTransactions(chain, place, page);
      if (indexed) return { source: INDEX, page: indexed };
      const scan = await lastScan(place);
      if (scan) return { source: ofScan(scan), page: await read.addressScans.entries(scan, page) };
      throw unknownHere();
    },
  };
}

export type AddressLookups = ReturnType<typeof createAddressLookups>;

const unknownHere = (): DomainError =>
  new DomainError(
    'no_index',
    'nothing here knows this address: Bitcoin Core has no index of addresses, no wallet of the account watches it, and no scan of it is ' +
      'done. Start one: POST /api/v1/bitcoin/addresses/{address}/scans; an Esplora server (CHAIN=esplora) has such an index',
    { field: 'address' },
  );

/** Esplora answers all unspent outputs at once. */
function pageOfAll(outputs: readonly AddressUtxo[], { limit, offset, cursor }: PageRequest): Page<AddressUtxo> {
  if (cursor !== undefined) throw noSuchCursor();
  const data = outputs.slice(offset, offset + limit);
  return {
    data,
    total: outputs.length,
    limit,
    offset,
    hasMore: offset + data.length < outputs.length,
    nextCursor: null,
  };
}

/** Pages are Esplora's own, in steps of 25 behind a txid; an offset is walked to. */
const MAX_STEPS = 40;

async function indexedTransactions(
  chain: Chain,
  place: Place,
  page: PageRequest,
): Promise<Page<AddressHistoryEntry> | null> {
  const summary = await chain.addressSummary(place.address);
  if (summary === null) return null;
  const [offset, behind] = page.cursor === undefined ? [page.offset, null] : cursorParts(page.cursor);
  let toSkip = page.cursor === undefined ? page.offset : 0;
  const found: AddressHistoryEntry[] = [];
  let after: Txid | null = behind;
  for (let step = 0; found.length <= page.limit; step++) {
    if (step === MAX_STEPS) {
      throw new DomainError('invalid_value', 'the offset is too large here: follow next_cursor of the pages', {
        field: 'query.offset',
      });
    }
    const part = await chain.addressTransactions(place.address, after);
    if (part === null) return null;
    found.push(...part.entries.slice(Math.min(toSkip, part.entries.length)));
    toSkip = Math.max(0, toSkip - part.entries.length);
    after = part.next;
    if (after === null) break;
  }
  const data = found.slice(0, page.limit);
  const hasMore = found.length > page.limit || after !== null;
  // Esplora goes on behind confirmed ones only: unconfirmed ones come whole, before them.
  const last = data.findLast(({ blockHeight }) => blockHeight !== null);
  const nextCursor = hasMore && last ? `${offset + data.length}-${last.txid}` : null;
  return { data, total: summary.transactionCount, limit: page.limit, offset, hasMore, nextCursor };
}

function cursorParts(cursor: string): [number, Txid] {
  const match = /^(\d{1,12})-([0-9a-f]{64})$/.exec(cursor);
  if (!match) throw noSuchCursor();
  return [Number(match[1]), txid(match[2] as string)];
}

const noSuchCursor = (): DomainError =>
  new DomainError('invalid_value', 'the cursor is not one that this list gave: use next_cursor of a page as it is', {
    field: 'query.cursor',
  });
