import { createHash } from 'node:crypto';
import { payments, script as scripts, Transaction } from 'bitcoinjs-lib';
import ECPairFactory from 'ecpair';
import * as tinysecp from 'tiny-secp256k1';
import { type Txid, txid } from '../../../src/core/outpoint.ts';
import { accountKey, accountPath } from '../../../src/core/wallets/hd-key.ts';
import { createKeyRing } from '../../../src/core/wallets/key-ring.ts';
import { singleKeyDescriptors } from '../../../src/core/wallets/wallet-descriptors.ts';

const ECPair = ECPairFactory(tinysecp);

export interface HdCoin {
  txid: string;
  vout: number;
  amountSats: bigint;
  change: boolean;
  index: number;
}

export interface HdSpend {
  raw: Uint8Array;
  txid: Txid;
  inputs: { txid: string; vout: number }[];
}

export type HdWallet = ReturnType<typeof hdWallet>;

/** A BIP84 wallet made from a name (the same in every run) that signs by itself: what another program with the same words would be. */
export function hdWallet(name: string) {
  const seed = createHash('sha512').update(`ashlar test wallet ${name}`).digest();
  const account = accountKey(seed, accountPath('segwit', 'regtest'), 'regtest');
  const descriptors = singleKeyDescriptors('segwit', `${account.origin}${account.node.neutered().toBase58()}`);
  const ring = createKeyRing({ privateKey: account.node.privateKey!, chainCode: account.node.chainCode }, 'regtest');
  const script = (index: number, change = false): Uint8Array =>
    payments.p2wpkh({ pubkey: ring.publicKey(change, index) }).output!;

  return {
    name,
    descriptors,
    fingerprint: account.masterFingerprint,
    script,
    scriptHex: (index: number, change = false) => Buffer.from(script(index, change)).toString('hex'),
    spend(
      coins: readonly HdCoin[],
      outputs: readonly { script: Uint8Array; amountSats: bigint }[],
      options: { sequence?: number; version?: number } = {},
    ): HdSpend {
      const transaction = new Transaction();
      transaction.version = options.version ?? 2;
      for (const coin of coins) {
        transaction.addInput(Buffer.from(coin.txid, 'hex').reverse(), coin.vout, options.sequence ?? 0xfffffffd);
      }
      for (const output of outputs) transaction.addOutput(output.script, output.amountSats);
      coins.forEach((coin, vin) => {
        const pair = ECPair.fromPrivateKey(ring.privateKey(coin.change, coin.index));
        const code = payments.p2pkh({ pubkey: pair.publicKey }).output!;
        const hash = transaction.hashForWitnessV0(vin, code, coin.amountSats, Transaction.SIGHASH_ALL);
        const signature = scripts.signature.encode(pair.sign(hash), Transaction.SIGHASH_ALL);
        transaction.setWitness(vin, [signature, pair.publicKey]);
      });
      return {
        raw: transaction.toBuffer(),
        txid: txid(transaction.getId()),
        inputs: coins.map((coin) => ({ txid: coin.txid, vout: coin.vout })),
      };
    },
  };
}
