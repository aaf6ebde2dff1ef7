import { ByteWriter } from '../../blocks/byte-writer.ts';
import { hash256 } from '../../hashes.ts';
import { displayHash, type Outpoint, type Txid } from '../../outpoint.ts';

export interface ContractOutput {
  /** hex */
  readonly scriptPubKey: string;
  readonly amountSats: bigint;
}

export interface ContractInput extends Outpoint {
  readonly sequence: number;
  /** Empty but for P2SH around a witness program, where it is known before signing, and the txid with it. */
  readonly scriptSig: Uint8Array;
}

/** A transaction of the contract, without its witnesses: its txid stays what it is. */
export interface ContractTransaction {
  readonly version: number;
  readonly locktime: number;
  readonly inputs: readonly ContractInput[];
  readonly outputs: readonly ContractOutput[];
  readonly txid: Txid;
  /** Serialized without witnesses. */
  readonly raw: Uint8Array;
  /** Sum of what it spends less the sum of its outputs. */
  readonly feeSats: bigint;
}

/** With its witnesses, as it is broadcast. */
export interface SignedContractTransaction {
  readonly txid: Txid;
  readonly raw: Uint8Array;
  readonly feeSats: bigint;
  readonly weight: number;
  readonly vsize: number;
}

/** dlcspecs Transactions.md: outputs below it are not made. */
export const DUST_LIMIT_SATS = 1_000n;
export const CONTRACT_TRANSACTION_VERSION = 2;

type Draft = Pick<ContractTransaction, 'locktime' | 'inputs' | 'outputs' | 'feeSats'>;

export function contractTransaction({ locktime, inputs, outputs, feeSats }: Draft): ContractTransaction {
  const version = CONTRACT_TRANSACTION_VERSION;
  const raw = serializeContractTransaction({ version, locktime, inputs, outputs }, null);
  return { version, locktime, inputs, outputs, feeSats, raw, txid: displayHash(hash256(raw)) as Txid };
}

/** With a witness stack for each input, in their order. */
export function withWitnesses(
  transaction: ContractTransaction,
  witnesses: readonly (readonly Uint8Array[])[],
): SignedContractTransaction {
  const raw = serializeContractTransaction(transaction, witnesses);
  const weight = transaction.raw.length * 3 + raw.length;
  const { txid, feeSats } = transaction;
  return { txid, raw, feeSats, weight, vsize: Math.ceil(weight / 4) };
}

function serializeContractTransaction(
  { version, locktime, inputs, outputs }: Pick<ContractTransaction, 'version' | 'locktime' | 'inputs' | 'outputs'>,
  witnesses: readonly (readonly Uint8Array[])[] | null,
): Buffer {
  const writer = new ByteWriter().uint32(version);
  if (witnesses) writer.uint8(0).uint8(1);
  writer.compactSize(inputs.length);
  for (const { txid, vout, scriptSig, sequence } of inputs)
    writer.hash(txid).uint32(vout).prefixed(scriptSig).uint32(sequence);
  writer.compactSize(outputs.length);
  for (const { amountSats, scriptPubKey } of outputs) writer.int64(amountSats).prefixedHex(scriptPubKey);
  for (const items of witnesses ?? []) {
    writer.compactSize(items.length);
    for (const item of items) writer.prefixed(item);
  }
  return Buffer.from(writer.uint32(locktime).done());
}

export const sumOf = (amounts: readonly { readonly amountSats: bigint }[]): bigint =>
  amounts.reduce((sum, { amountSats }) => sum + amountSats, 0n);
