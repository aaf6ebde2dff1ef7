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

/** BIP143's example of P2SH-P2WPKH, signed. The coin that it spends is on no chain. */
export const paymentHex =
  '01000000000101db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a5477010000001716001479091972186c449eb1ded22b' +
  '78e40d009bdf0089feffffff02b8b4eb0b000000001976a914a457b684d7f0d539a46a45bbc043f35b59d0d96388ac0008af2f000000001976a914' +
  'fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac02473044022047ac8e878352d3ebbde1c94ce3a10d057c24175747116f8288e5d794d12d48' +
  '2f0220217f36a485cae903c713331d877c1f64677e3622ad4010726870540656fe9dcb012103ad1d8e89212f0b92c74d23bb710c00662ad1470198' +
  'ac48c43f7d6f93a2a2687392040000';
export const paymentTxid = 'ef48d9d0f595052e0f8cdcf825f7a5e50b6a388a81f206f3f4846e5ecd7a0c23';

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
