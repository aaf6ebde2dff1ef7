import type { ParsedOutput, ParsedTransaction } from '../../core/blocks/transaction.ts';
import type { Network } from '../../core/network.ts';
import { outpointKey } from '../../core/outpoint.ts';
import { isUnspendable } from '../../core/relay-policy/standard-scripts.ts';
import type {
  CoinRecord,
  Recipient,
  ScriptRecord,
  TransactionDirection,
  TransactionKind,
  WalletEffect,
  WalletId,
} from '../../store/records.ts';
import { addressOfScript } from './script-address.ts';

/** What a transaction on the chain is to one account. */
export interface AccountView {
  /** The paying wallet, or else the first receiving one. */
  readonly walletId: WalletId;
  readonly kind: TransactionKind;
  readonly direction: TransactionDirection;
  readonly recipients: Recipient[];
  readonly amountSats: bigint;
  /** Known where all inputs are the account's. */
  readonly feeSats: bigint | null;
  readonly effects: WalletEffect[];
  readonly ownsAllInputs: boolean;
}

/**
 * `scripts`: the account's scripts that the transaction pays; `spent`: the account's coins that it spends; not both empty. A script
 * or coin that several wallets of the account hold counts in each wallet, but once for the account.
 */
export function accountView(
  transaction: ParsedTransaction,
  scripts: readonly ScriptRecord[],
  spent: readonly CoinRecord[],
  network: Network,
): AccountView {
  const ours = new Map(scripts.map((script) => [script.scriptPubKey, script]));
  const coins = new Map(spent.map((coin) => [outpointKey(coin), coin]));
  const ownsAllInputs = !transaction.coinbase && coins.size === transaction.inputs.length;
  const sentSats = sum([...coins.values()].map((coin) => coin.amountSats));
  const outputSats = sum(transaction.outputs.map((output) => output.amountSats));

  const received = transaction.outputs.filter((output) => ours.has(output.scriptPubKey));
  const receivedSats = sum(received.map((output) => output.amountSats));
  const foreign = (): readonly ParsedOutput[] =>
    transaction.outputs.filter(
      (output) => !ours.has(output.scriptPubKey) && !isUnspendable(Buffer.from(output.scriptPubKey, 'hex')),
    );
  const { direction, recipients } = ((): { direction: TransactionDirection; recipients: readonly ParsedOutput[] } => {
    if (ownsAllInputs) {
      const others = foreign();
      const notChange = received.filter((output) => !ours.get(output.scriptPubKey)!.change);
      if (others.length > 0) return { direction: 'outgoing', recipients: [...others, ...notChange] };
      return { direction: 'internal', recipients: notChange.length > 0 ? notChange : received };
    }
    // Others pay along (or alone): what counts is which way the balance moved.
    return sentSats > receivedSats
      ? { direction: 'outgoing', recipients: foreign() }
      : { direction: 'incoming', recipients: received };
  })();

  return {
    walletId: payingWallet(transaction, spent) ?? receivingWallet(transaction, scripts),
    kind: direction === 'incoming' ? 'deposit' : 'payment',
    direction,
    recipients: recipients.map((output) => ({
      address: ours.get(output.scriptPubKey)?.address ?? addressOfScript(output.scriptPubKey, network),
      amountSats: output.amountSats,
    })),
    amountSats: ownsAllInputs ? sum(recipients.map((output) => output.amountSats)) : distance(sentSats, receivedSats),
    feeSats: ownsAllInputs ? sentSats - outputSats : null,
    effects: walletEffects(transaction, scripts, spent),
    ownsAllInputs,
  };
}

/** What does nothing to the account's wallets, as a record under one of them. */
export function foreignView({ outputs }: ParsedTransaction, walletId: WalletId, network: Network): AccountView {
  return {
    walletId,
    kind: 'payment',
    direction: 'outgoing',
    recipients: outputs.map(({ scriptPubKey, amountSats }) => ({
      address: addressOfScript(scriptPubKey, network),
      amountSats,
    })),
    amountSats: sum(outputs.map((output) => output.amountSats)),
    feeSats: null,
    effects: [],
    ownsAllInputs: false,
  };
}

function walletEffects(
  transaction: ParsedTransaction,
  scripts: readonly ScriptRecord[],
  spent: readonly CoinRecord[],
): WalletEffect[] {
  const effects = new Map<string, WalletEffect>();
  const effectOf = (walletId: WalletId): WalletEffect => {
    const effect = effects.get(walletId) ?? { walletId, receivedSats: 0n, sentSats: 0n };
    effects.set(walletId, effect);
    return effect;
  };
  for (const coin of spent) effectOf(coin.walletId).sentSats += coin.amountSats;
  const owners = Map.groupBy(scripts, (script) => script.scriptPubKey);
  for (const output of transaction.outputs) {
    for (const { walletId } of owners.get(output.scriptPubKey) ?? []) {
      effectOf(walletId).receivedSats += output.amountSats;
    }
  }
  return [...effects.values()];
}

function payingWallet(transaction: ParsedTransaction, spent: readonly CoinRecord[]): WalletId | null {
  const byOutpoint = new Map(spent.map((coin) => [outpointKey(coin), coin.walletId]));
  for (const input of transaction.inputs) {
    const walletId = byOutpoint.get(outpointKey(input.prev));
    if (walletId !== undefined) return walletId;
  }
  return null;
}

function receivingWallet(transaction: ParsedTransaction, scripts: readonly ScriptRecord[]): WalletId {
  const first = new Map(scripts.toReversed().map((script) => [script.scriptPubKey, script.walletId]));
  for (const output of transaction.outputs) {
    const walletId = first.get(output.scriptPubKey);
    if (walletId !== undefined) return walletId;
  }
  throw new RangeError(`transaction ${transaction.txid} has nothing to do with the account`);
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);
