import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitsToTransactions, parseBlockTransactions } from '../../src/core/blocks/block.ts';
import { meetsTarget, parseHeader } from '../../src/core/blocks/header.ts';
import { hash256 } from '../../src/core/hashes.ts';
import { displayHash } from '../../src/core/outpoint.ts';
import { STANDARD_FLAGS } from '../../src/core/scripts/interpreter/script-flags.ts';
import { verifySpendBy } from '../../src/core/scripts/interpreter/verify-spend.ts';
import { createSignatureHasher } from '../../src/core/scripts/signature-hash.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';

interface NodeBlock {
  hash: string;
  height: number;
  version: number;
  merkleroot: string;
  time: number;
  nonce: number;
  bits: string;
  tx: NodeTransaction[];
}
interface NodeTransaction {
  txid: string;
  hash: string;
  version: number;
  vsize: number;
  weight: number;
  locktime: number;
  hex: string;
  vin: { txid?: string; vout?: number; scriptSig?: { hex: string }; txinwitness?: string[]; sequence: number }[];
  vout: { scriptPubKey: { hex: string } }[];
}

const ADDRESS_TYPES = ['legacy', 'p2sh-segwit', 'bech32', 'bech32m'];

describe("blocks that a node's own wallet filled", () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startTestNode();
    // Coins of every address type, then payments that spend coins of each.
    for (let round = 0; round < 3; round++) {
      for (const type of ADDRESS_TYPES) {
        const address = await node.rpc<string>('getnewaddress', '', type);
        for (let i = 0; i < 3; i++) await node.send(address, '0.31');
      }
      await node.mine(1);
    }
    const target = await node.rpc<string>('getnewaddress', '', 'bech32m');
    await node.rpc('sendall', [target]);
    await node.mine(1);
  });
  afterAll(() => node?.stop());

  const nodeBlocks = async (): Promise<{ bytes: Buffer; decoded: NodeBlock }[]> => {
    const height = await node.rpc<number>('getblockcount');
    const heights = Array.from({ length: height + 1 }, (_, at) => at);
    return Promise.all(
      heights.map(async (at) => {
        const hash = await node.rpc<string>('getblockhash', at);
        const bytes = Buffer.from(await node.rpc<string>('getblock', hash, 0), 'hex');
        return { bytes, decoded: await node.rpc<NodeBlock>('getblock', hash, 2) };
      }),
    );
  };

  it('read as the node reads them', async () => {
    for (const { bytes, decoded } of await nodeBlocks()) {
      const header = parseHeader(bytes);
      expect(header).toMatchObject({
        hash: decoded.hash,
        version: decoded.version,
        merkleRoot: decoded.merkleroot,
        time: decoded.time,
        nonce: decoded.nonce,
        bits: Number.parseInt(decoded.bits, 16),
      });
      expect(meetsTarget(header)).toBe(true);
      expect(commitsToTransactions(bytes)).toBe(true);
      const ours = parseBlockTransactions(bytes).map((tx) => ({
        txid: tx.txid,
        hash: displayHash(hash256(tx.raw)),
        version: tx.version,
        vsize: tx.vsize,
        weight: tx.weight,
        locktime: tx.locktime,
        inputs: tx.inputs.map((input) => ({
          ...(tx.coinbase ? {} : input.prev),
          sequence: input.sequence,
          witness: input.witness.map((item) => Buffer.from(item).toString('hex')),
        })),
        scripts: tx.outputs.map((output) => output.scriptPubKey),
      }));
      expect(ours).toEqual(
        decoded.tx.map((tx) => ({
          txid: tx.txid,
          hash: tx.hash,
          version: tx.version,
          vsize: tx.vsize,
          weight: tx.weight,
          locktime: tx.locktime,
          inputs: tx.vin.map((input) => ({
            ...(input.txid === undefined ? {} : { txid: input.txid, vout: input.vout }),
            sequence: input.sequence,
            witness: input.txinwitness ?? [],
          })),
          scripts: tx.vout.map((output) => output.scriptPubKey.hex),
        })),
      );
    }
  });

  it('hold signatures that verify, of every script type the wallet has, and fail once an amount they sign differs', async () => {
    const transactions = (await nodeBlocks()).flatMap(({ bytes }) => parseBlockTransactions(bytes));
    const byTxid = new Map(transactions.map((tx) => [tx.txid, tx]));
    const lengths = new Set<number>();
    for (const tx of transactions.filter((one) => !one.coinbase)) {
      const spent = tx.inputs.map(({ prev }) => byTxid.get(prev.txid)!.outputs[prev.vout]!);
      const hasher = createSignatureHasher(tx, spent);
      const wrong = createSignatureHasher(
        tx,
        spent.map((output) => ({ ...output, amountSats: output.amountSats + 1n })),
      );
      for (const index of tx.inputs.keys()) {
        const scriptLength = spent[index]!.scriptPubKey.length / 2;
        lengths.add(scriptLength);
        expect(verifySpendBy(hasher, index, STANDARD_FLAGS)).toEqual({ valid: true });
        // Signatures before segwit do not cover amounts.
        expect(verifySpendBy(wrong, index, STANDARD_FLAGS).valid).toBe(scriptLength === 25);
      }
    }
    // P2PKH, P2SH, P2WPKH, P2TR
    expect([...lengths].toSorted((a, b) => a - b)).toEqual([22, 23, 25, 34]);
  });
});
