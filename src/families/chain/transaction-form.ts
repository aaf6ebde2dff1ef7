/** A transaction of the chain, taken apart: the same form wherever one is shown. */
import { z } from 'zod';
import { formatBtc } from '../../core/amount.ts';
import type { ParsedOutput, ParsedTransaction } from '../../core/blocks/transaction.ts';
import { feeRateOf, formatFeeRate } from '../../core/fee-rate.ts';
import { hash256 } from '../../core/hashes.ts';
import type { Network } from '../../core/network.ts';
import { displayHash } from '../../core/outpoint.ts';
import { scriptAddress } from '../../core/relay-policy/script-address.ts';
import { outputKind } from '../../core/relay-policy/standard-scripts.ts';
import { amount, answer, answerWith, feeRate } from '../answer.ts';
import { hashAnswer, hexAnswer } from './chain-fields.ts';

export const spentOutput = answer(
  'SpentOutput',
  {
    amount,
    script_pubkey: z.string().meta({ description: 'Hex' }),
    script_type: z.string().meta({ description: 'p2wpkh, p2tr, null-data, nonstandard, …', examples: ['p2wpkh'] }),
    address: z.string().nullable().meta({ description: 'null where the script has none' }),
  },
  ({ scriptPubKey, network }: ParsedOutput & { network: Network }) => {
    const script = Buffer.from(scriptPubKey, 'hex');
    return { script_type: outputKind(script), address: scriptAddress(script, network) };
  },
);

const chainInput = answer('ChainInput', {
  txid: hashAnswer.nullable().meta({ description: "null for a coinbase's input" }),
  vout: z.int().nullable(),
  script_sig: hexAnswer,
  witness: z.array(hexAnswer),
  sequence: z.int(),
  prevout: spentOutput.schema
    .nullable()
    .meta({ description: 'The output that it spends; null where that is not known here' }),
});

const chainOutput = answer('ChainOutput', { ...spentOutput.shape, vout: z.int() }, spentOutput.present);

/** What it pays to miners, in satoshis; null where not every output spent is known. */
function feeOf(tx: ParsedTransaction, spent: readonly (ParsedOutput | null)[]): bigint | null {
  if (tx.coinbase || spent.length !== tx.inputs.length) return null;
  let fee = 0n;
  for (const output of spent) {
    if (output === null) return null;
    fee += output.amountSats;
  }
  return tx.outputs.reduce((left, { amountSats }) => left - amountSats, fee);
}

interface Decoded extends ParsedTransaction {
  /** In the order of its inputs; null where unknown. */
  readonly spent: readonly (ParsedOutput | null)[];
  readonly network: Network;
}

const NO_OUTPOINT = { txid: null, vout: null };

export const decodedTransaction = answer(
  'DecodedTransaction',
  {
    txid: hashAnswer,
    wtxid: hashAnswer,
    version: z.int(),
    size: z.int().meta({ description: 'Bytes' }),
    vsize: z.int(),
    weight: z.int(),
    locktime: z.int(),
    coinbase: z.boolean(),
    inputs: z.array(chainInput.schema),
    outputs: z.array(chainOutput.schema),
    fee: amount.nullable().meta({ description: 'null where not every output spent is known' }),
    fee_rate: feeRate.nullable(),
  },
  ({ network, spent, ...tx }: Decoded) => {
    const fee = feeOf(tx, spent);
    return {
      wtxid: displayHash(hash256(tx.raw)),
      size: tx.raw.length,
      inputs: tx.inputs.map(({ prev, ...input }, index) => {
        const output = spent[index] ?? null;
        const prevout = output && { ...output, network };
        return chainInput.present({ ...input, ...(tx.coinbase ? NO_OUTPOINT : prev), prevout });
      }),
      outputs: tx.outputs.map((output, vout) => chainOutput.present({ ...output, network, vout })),
      fee: fee === null ? null : formatBtc(fee),
      fee_rate: fee === null || fee < 0n ? null : formatFeeRate(feeRateOf(fee, tx.vsize)),
    };
  },
);

/** What its inputs spend is not known. */
export const decodedAlone = (network: Network) => answerWith(decodedTransaction, { spent: [], network });

/** The coinbase of mainnet's first block. */
export const transactionHex =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d6573' +
  '2030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b' +
  '73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f355' +
  '04e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000';

export const transactionFormExample = {
  txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
  wtxid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
  version: 1,
  size: 204,
  vsize: 204,
  weight: 816,
  locktime: 0,
  coinbase: true,
  inputs: [
    {
      txid: null,
      vout: null,
      script_sig:
        '04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f' +
        '6e64206261696c6f757420666f722062616e6b73',
      witness: [],
      sequence: 4_294_967_295,
      prevout: null,
    },
  ],
  outputs: [
    {
      vout: 0,
      amount: '50.00000000',
      script_pubkey:
        '4104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d' +
        '578a4c702b6bf11d5fac',
      script_type: 'p2pk',
      address: null,
    },
  ],
  fee: null,
  fee_rate: null,
};
