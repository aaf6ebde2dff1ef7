import { createHash } from 'node:crypto';
import { payments, Transaction } from 'bitcoinjs-lib';
import ECPairFactory from 'ecpair';
import * as tinysecp from 'tiny-secp256k1';

const ECPair = ECPairFactory(tinysecp);

export interface TestCoin {
  txid: string;
  vout: number;
  amountSats: bigint;
}

export interface SpendOptions {
  coins: readonly TestCoin[];
  /** Default: everything less `feeSats` back to the key. */
  outputs?: readonly { script: Uint8Array; amountSats: bigint }[];
  feeSats?: bigint;
  sequence?: number;
  locktime?: number;
  version?: number;
  /** Signs another message, so that the signature is well-formed and wrong. */
  badSignature?: boolean;
}

/** A P2WPKH key made from a name: the same in every run. */
export function testKey(name: string) {
  const pair = ECPair.fromPrivateKey(createHash('sha256').update(`ashlar test key ${name}`).digest());
  const pubkey = pair.publicKey;
  const script = payments.p2wpkh({ pubkey }).output!;
  const scriptCode = payments.p2pkh({ pubkey }).output!;
  return {
    script,
    scriptHex: Buffer.from(script).toString('hex'),
    /** A signed transaction spending coins of this key. */
    spend(options: SpendOptions): {
      raw: Uint8Array;
      txid: string;
      transaction: Transaction;
      coin(vout: number): TestCoin;
    } {
      const { coins, feeSats = 1000n, sequence = 0xfffffffd, locktime = 0, version = 2 } = options;
      const total = coins.reduce((sum, coin) => sum + coin.amountSats, 0n);
      const outputs = options.outputs ?? [{ script, amountSats: total - feeSats }];
      const transaction = new Transaction();
      transaction.version = version;
      transaction.locktime = locktime;
      for (const coin of coins) transaction.addInput(Buffer.from(coin.txid, 'hex').reverse(), coin.vout, sequence);
      for (const output of outputs) transaction.addOutput(output.script, output.amountSats);
      coins.forEach((coin, index) => {
        const hash = transaction.hashForWitnessV0(index, scriptCode, coin.amountSats, Transaction.SIGHASH_ALL);
        if (options.badSignature) hash[0]! ^= 1;
        const compact = pair.sign(hash);
        transaction.setWitness(index, [derSignature(compact), pubkey]);
      });
      const txid = transaction.getId();
      return {
        raw: transaction.toBuffer(),
        txid,
        transaction,
        coin: (vout) => ({ txid, vout, amountSats: transaction.outs[vout]!.value }),
      };
    },
  };
}

/** Strict DER (BIP66) with SIGHASH_ALL. */
function derSignature(compact: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array): number[] => {
    let start = 0;
    while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
    const body = [...bytes.subarray(start)];
    return body[0]! >= 0x80 ? [2, body.length + 1, 0, ...body] : [2, body.length, ...body];
  };
  const body = [...integer(compact.subarray(0, 32)), ...integer(compact.subarray(32))];
  return Uint8Array.from([0x30, body.length, ...body, 1]);
}
