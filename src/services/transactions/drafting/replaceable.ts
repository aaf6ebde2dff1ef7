/** An unconfirmed payment of ours with all that replacing it needs to know. */
import type { ChainSource, MempoolEntry } from '../../../chain/chain-source.ts';
import { parseTransaction } from '../../../core/blocks/transaction.ts';
import { DomainError } from '../../../core/errors.ts';
import { type Outpoint, outpointKey, type Txid } from '../../../core/outpoint.ts';
import type { OriginalTransaction, ReplacedDescendants } from '../../../core/payments/replacement-request.ts';
import { decodeAddress } from '../../../core/relay-policy/address.ts';
import type { Recipient, TransactionRecord, WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import { createAncestryLookup } from '../coins/ancestry.ts';
import { candidateModel, toCandidate, withAncestry } from '../coins/candidates.ts';
import { unconfirmedDescendants } from '../sending/retire-transaction.ts';
import {
  assertAllows,
  contractKindOf,
  isUnconfirmed,
  isUnsettled,
  type TransactionAction,
} from '../transaction-states.ts';
import { payingWallet } from './paying-wallet.ts';

export interface Replaceable {
  readonly record: TransactionRecord;
  readonly wallet: WalletRecord;
  readonly original: OriginalTransaction;
  readonly descendants: ReplacedDescendants;
  /** Recipients of own descendants, to be paid again. */
  readonly carried: readonly Recipient[];
  /** Own transactions that go, the original first. */
  readonly evicts: readonly Txid[];
  /** Outpoints ("txid:vout") that it spends. */
  readonly respends: ReadonlySet<string>;
  /** The node has it. */
  readonly inMempool: boolean;
}

export interface ReplaceableDependencies {
  readonly read: Repositories;
  readonly chain: Pick<ChainSource, 'mempoolEntry'>;
  readonly scripts: Pick<ScriptPool, 'model'>;
}

/**
 * Throws `state_conflict` where the transaction is not ours to replace or being replaced already, `signing_unavailable`, and
 * `descendants_would_be_evicted` naming own descendants unless they are to be replaced too.
 */
export async function loadReplaceable(
  deps: ReplaceableDependencies,
  record: TransactionRecord,
  options: { action: TransactionAction & ('bump' | 'cancel'); replaceDescendants: boolean; tipHeight: number },
): Promise<Replaceable> {
  const { read, chain, scripts } = deps;
  assertAllows(options.action, record);
  if (record.kind === 'deposit' || !record.raw || record.feeSats === null || record.vsize === null) {
    throw conflict(
      `transaction ${record.txid} is a deposit: its fee can be raised by a child (POST …/cpfp), not by us`,
    );
  }
  const wallet = await payingWallet(read, record.accountId, record.walletId);
  const transaction = parseTransaction(record.raw);
  const spent = transaction.inputs.map((input) => input.prev);
  const coins = (await read.coins.findMany(record.accountId, spent)).filter(
    (coin) => coin.walletId === wallet.walletId,
  );
  if (coins.length !== spent.length)
    throw conflict(`transaction ${record.txid} spends coins that are not this wallet's`);
  const rival = coins.find((coin) => coin.spentBy !== null && coin.spentBy !== record.txid);
  if (rival) throw conflict(`transaction ${record.txid} is being replaced by ${rival.spentBy} already`);
  await assertNotBeingReplaced(read, record, spent);

  const entry = await chain.mempoolEntry(record.txid);
  const own = await unconfirmedDescendants(read, record);
  if (own.length > 0 && !options.replaceDescendants) throw wouldEvict(record, own);
  const agreed = own.find((descendant) => contractKindOf(descendant) !== null);
  if (agreed) {
    throw new DomainError(
      'descendants_would_be_evicted',
      `${agreed.txid} spends it for a contract, which would end with it: a child can pay for it (POST …/cpfp) instead`,
      { field: 'replace_descendants' },
    );
  }
  const stranger = own.find((descendant) => descendant.walletId !== wallet.walletId);
  if (stranger) {
    throw new DomainError(
      'descendants_would_be_evicted',
      `${stranger.txid} spends it from another wallet (${stranger.walletId}), whose payment cannot be carried along: replace that one first`,
      { field: 'replace_descendants' },
    );
  }
  const changeScripts = await changeScriptsOf(
    read,
    wallet,
    transaction.outputs.map((output) => output.scriptPubKey),
  );
  const carried = await carriedRecipients(read, wallet, own);
  const model = candidateModel(scripts.model(wallet), wallet);
  const evicts = [record.txid, ...own.map((descendant) => descendant.txid)];
  const lookup = createAncestryLookup({ transactions: read.transactions, chain }, record.accountId, {
    without: evicts,
  });
  const byKey = new Map(coins.map((coin) => [outpointKey(coin), coin]));
  const inputs = spent.map((prev) => toCandidate(byKey.get(outpointKey(prev))!, model, options.tipHeight));

  return {
    record,
    wallet,
    carried,
    original: {
      txid: record.txid,
      version: record.version,
      feeSats: record.feeSats,
      vsize: entry?.vsize ?? record.vsize,
      inputs: await withAncestry(inputs, lookup),
      outputs: transaction.outputs.map(({ scriptPubKey, amountSats }) => ({
        scriptPubKey,
        amountSats,
        change: changeScripts.has(scriptPubKey),
      })),
    },
    descendants: {
      ...evictedByNode(entry, own),
      recipients: carried.map(({ address, amountSats }) => ({
        scriptPubKey: decodeAddress(address, wallet.network).scriptPubKey,
        amountSats,
      })),
    },
    evicts,
    respends: new Set(byKey.keys()),
    inMempool: entry !== null,
  };
}

/** A replacement that waits for signatures leaves the coins with what it is to replace; there is one at a time. */
async function assertNotBeingReplaced(
  read: Repositories,
  { accountId, txid }: TransactionRecord,
  spent: readonly Outpoint[],
): Promise<void> {
  const waiting = (await read.ledger.spendersOf(spent, txid)).find(
    (rival) =>
      rival.accountId === accountId && rival.replaces === txid && isUnsettled(rival.status) && rival.raw === null,
  );
  if (!waiting) return;
  if (waiting.status === 'awaiting_approval') {
    throw conflict(
      `a replacement of transaction ${txid} waits for approval already (${waiting.approvalId}): approve or reject that`,
    );
  }
  throw conflict(
    `a replacement of transaction ${txid} waits for signatures already: sign ${waiting.txid}, or abandon it first`,
  );
}

/** What the node counts, strangers' descendants too; what the database says where the node has none of it. */
function evictedByNode(
  entry: MempoolEntry | null,
  own: readonly TransactionRecord[],
): Omit<ReplacedDescendants, 'recipients'> {
  const sent = own.filter((one) => isUnconfirmed(one.status));
  const ownSats = sent.reduce((sum, one) => sum + (one.feeSats ?? 0n), 0n);
  if (!entry) return { count: sent.length, feesSats: ownSats, foreignFeesSats: 0n };
  const feesSats = entry.descendantFeesSats - entry.feeSats;
  return {
    count: entry.descendantCount - 1,
    feesSats,
    foreignFeesSats: feesSats > ownSats ? feesSats - ownSats : 0n,
  };
}

async function changeScriptsOf(
  read: Repositories,
  wallet: WalletRecord,
  scriptPubKeys: readonly string[],
): Promise<Set<string>> {
  const owned = await read.ledger.scriptsMatching(scriptPubKeys);
  return new Set(
    owned.filter((script) => script.walletId === wallet.walletId && script.change).map((script) => script.scriptPubKey),
  );
}

/** What goes back to the wallet need not be paid again. */
async function carriedRecipients(
  read: Repositories,
  wallet: WalletRecord,
  descendants: readonly TransactionRecord[],
): Promise<Recipient[]> {
  const recipients = descendants.flatMap((descendant) => descendant.recipients);
  const scriptOf = ({ address }: Recipient) => decodeAddress(address, wallet.network).scriptPubKey;
  const owned = await read.ledger.scriptsMatching([...new Set(recipients.map(scriptOf))]);
  const ours = new Set(
    owned.filter((script) => script.walletId === wallet.walletId).map((script) => script.scriptPubKey),
  );
  return recipients.filter((recipient) => !ours.has(scriptOf(recipient)));
}

function wouldEvict(record: TransactionRecord, own: readonly TransactionRecord[]): DomainError {
  const names = own.map((descendant) => descendant.txid).join(', ');
  return new DomainError(
    'descendants_would_be_evicted',
    `replacing ${record.txid} would evict ${own.length === 1 ? 'its descendant' : 'its descendants'} ${names}: ` +
      'set replace_descendants to pay their recipients in the replacement',
    { field: 'replace_descendants', reason: names },
  );
}

const conflict = (message: string): DomainError => new DomainError('state_conflict', message, { field: 'txid' });
