import { closestName, normalizedName } from '../../core/closest-name.ts';

/** What others call it: Bitcoin Core, other wallets and interfaces. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  segwit: ['p2wpkh', 'wpkh', 'native-segwit', 'bech32', 'bip84'],
  taproot: ['p2tr', 'tr', 'bech32m', 'bip86'],
  'nested-segwit': ['p2sh-p2wpkh', 'sh-wpkh', 'p2sh-segwit', 'wrapped-segwit', 'bip49'],
  legacy: ['p2pkh', 'pkh', 'base58', 'bip44'],
  multisig: ['p2wsh', 'wsh', 'multi', 'sortedmulti'],
  recipients: ['outputs', 'destinations', 'payees'],
  address: ['to', 'destination'],
  amount: ['value', 'sats', 'satoshis', 'btc', 'amount-sat', 'amount-sats'],
  transaction: ['hex', 'raw', 'tx', 'rawtx', 'tx-hex', 'raw-hex'],
  outpoints: ['utxos', 'coins'],
  fee_rate: ['fee', 'sat-per-vbyte', 'sat-per-vb', 'sats-per-vbyte'],
  rbf: ['replaceable'],
  backup_passphrase: ['password', 'backup-password'],
  limit: ['per-page', 'page-size', 'size', 'count'],
  offset: ['page', 'skip'],
  // IVMS101 of 2020.
  customerIdentification: ['customer-number'],
  naturalPersonNameIdentifierType: ['name-identifier-type'],
  cursor: ['after', 'next', 'starting-after'],
};

const MAX_LENGTH = 20;

const KNOWN_BY = new Map(
  Object.entries(OTHER_NAMES).flatMap(([name, others]) =>
    others.map((other) => [normalizedName(other), name] as const),
  ),
);

/** The known name that was probably meant: nearly written so, or called so elsewhere; null where there is none. */
export function suggestName(given: string, known: readonly string[]): string | null {
  const near = closestName(given, known);
  if (near !== null || given.length > MAX_LENGTH) return near;
  const name = KNOWN_BY.get(normalizedName(given));
  return name !== undefined && known.includes(name) ? name : null;
}

/** The name, and that it is BTC where satoshis were named. */
export const inBtc = (given: string, name: string | null): string | null =>
  name === 'amount' && /sat/i.test(given) ? `${name}, in BTC` : name;
