/** What taproot's operations make is what a real node takes, by key, by leaf and by several signers; what they refuse it refuses. */
import { createHash, randomBytes } from 'node:crypto';
import { Transaction } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ecc } from '../../src/core/keys/ecc.ts';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { testSigner } from '../builders/taproot-recipes.ts';
import { noteSecret } from '../secrets/collected.ts';

let node: TestNode;
let service: TestApp;
beforeAll(async () => {
  [node, service] = await Promise.all([startTestNode(), startTestApp()]);
  await node.mine(110);
});
afterAll(async () => {
  await service?.close();
  await node?.stop();
});

const AMOUNT = '0.00100000';
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');
const sha256 = (value: Uint8Array): Buffer => createHash('sha256').update(value).digest();

async function ask(path: string, body: Json): Promise<Json> {
  const answer = await service.post(`/api/v1/taproot/${path}`, body);
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
  return answer.body;
}

function newKey() {
  const key = hex(randomBytes(32));
  noteSecret('taproot private key', key);
  return { key, publicKey: hex(ecc.xOnlyPointFromScalar(Buffer.from(key, 'hex'))) };
}

/** Pays to the address, and what spends that: unsigned, with its previous output. */
async function funded(address: string) {
  const txid = await node.send(address, AMOUNT);
  const { vout: outputs } = await node.rpc<{ vout: { n: number; scriptPubKey: { address?: string } }[] }>(
    'getrawtransaction',
    txid,
    true,
  );
  const vout = outputs.find(({ scriptPubKey }) => scriptPubKey.address === address)?.n as number;
  const transaction = new Transaction();
  transaction.version = 2;
  transaction.addInput(Buffer.from(txid, 'hex').reverse(), vout, 0xffff_fffd);
  transaction.addOutput(Buffer.from(`0014${'75'.repeat(20)}`, 'hex'), 90_000n as never);
  return { transaction: transaction.toHex(), prevouts: [{ amount: AMOUNT, address }] };
}

function withWitness(raw: string, ...witness: string[]): string {
  const transaction = Transaction.fromHex(raw);
  transaction.setWitness(
    0,
    witness.map((item) => Buffer.from(item, 'hex')),
  );
  return transaction.toHex();
}

interface NodeVerdict {
  readonly allowed: boolean;
  readonly 'reject-reason'?: string;
  readonly 'reject-details'?: string;
}

/** The node's verdict and ours, which must be one. */
async function judged(transaction: string, prevouts: Json) {
  const [nodes] = await node.rpc<NodeVerdict[]>('testmempoolaccept', [transaction]);
  const ours = await ask('spends/verify', { transaction, prevouts });
  expect(ours.standard, JSON.stringify(nodes)).toBe(nodes?.allowed);
  return { nodes: nodes as NodeVerdict, ours };
}

const preimage = randomBytes(32);
const [internal, alice, bob] = [newKey(), newKey(), newKey()];
/** Leaves whose stacks are made of what signs: a hash type's signature each. */
const LEAVES: readonly {
  readonly name: string;
  readonly script: string;
  stack(sign: (key: string) => Promise<string>): Promise<string[]>;
}[] = [
  { name: 'a key', script: `20${alice.publicKey}ac`, stack: async (sign) => [await sign(alice.key)] },
  {
    name: 'two of two keys',
    script: `20${alice.publicKey}ac20${bob.publicKey}ba529c`,
    // The script's first key finds the top of the stack.
    stack: async (sign) => [await sign(bob.key), await sign(alice.key)],
  },
  {
    name: 'a preimage and a key',
    script: `a820${hex(sha256(preimage))}8820${bob.publicKey}ac`,
    stack: async (sign) => [await sign(bob.key), hex(preimage)],
  },
  { name: 'nothing', script: '51', stack: async () => [] },
  { name: 'a number', script: '5587', stack: async () => ['05'] },
];
const tree = {
  internal_key: internal.publicKey,
  leaves: LEAVES.map(({ script }, weight) => ({ script, weight: weight + 1 })),
};

describe('a node takes', () => {
  it.each([
    'DEFAULT',
    'ALL',
    'NONE',
    'SINGLE',
    'ALL|ANYONECANPAY',
    'NONE|ANYONECANPAY',
    'SINGLE|ANYONECANPAY',
  ])('a spend by the key under %s, with a tree and without', async (sighash_type) => {
    const types: Record<string, string> = { DEFAULT: '', ALL: '01', NONE: '02', SINGLE: '03' };
    const [base = '', anyone] = sighash_type.split('|');
    const suffix = anyone === undefined ? types[base] : `8${types[base]?.slice(1)}`;
    for (const output of [{ internal_key: internal.publicKey }, tree]) {
      const { address, merkle_root } = await ask('outputs/preview', output);
      const spend = await funded(address);
      const { signature_hash } = await ask('signature-hashes', { ...spend, sighash_type });
      const signing = { key: internal.key, message: signature_hash, taproot: { merkle_root } };
      const { signature } = await ask('signatures', signing);
      const { nodes, ours } = await judged(withWitness(spend.transaction, signature + suffix), spend.prevouts);
      expect({ nodes, ours }).toMatchObject({ nodes: { allowed: true }, ours: { valid: true, path: 'key' } });
    }
  });

  it.each(LEAVES)('a spend by the leaf of $name, and mines it', async ({ script, stack }) => {
    const { address, leaves } = await ask('outputs/preview', tree);
    const leaf_index = leaves.findIndex((leaf: Json) => leaf.script === script);
    const { leaf_hash } = leaves[leaf_index];
    const spend = await funded(address);
    const sign = async (key: string): Promise<string> => {
      const { signature_hash } = await ask('signature-hashes', { ...spend, leaf_hash });
      return (await ask('signatures', { key, message: signature_hash })).signature;
    };
    const building = { ...tree, leaf_index, stack: await stack(sign), transaction: spend.transaction };
    const { transaction } = await ask('spends', building);
    const { nodes, ours } = await judged(transaction, spend.prevouts);
    expect({ nodes, ours }).toMatchObject({
      nodes: { allowed: true },
      ours: { valid: true, path: 'script', leaf: { leaf_hash, control_block: { valid: true } } },
    });
    const txid = await node.rpc<string>('sendrawtransaction', transaction);
    await node.mine(1);
    expect(await node.rpc('gettxout', txid, 0)).toMatchObject({ confirmations: 1 });
  });

  it.each([
    ['without a tree', { taproot: {} }],
    ['with a tree and tweaks', { taproot: { merkle_root: 'ab'.repeat(32) }, tweaks: [{ tweak: '07'.repeat(32) }] }],
  ])('a spend that three signers make together %s, the service for the last of them', async (_, how) => {
    const signers = [testSigner(), testSigner(), testSigner()] as const;
    const public_keys = signers.map(({ publicKey }) => publicKey);
    const { address } = await ask('musig-keys', { public_keys, ...how });
    const spend = await funded(address);
    const { signature_hash: message } = await ask('signature-hashes', spend);
    const { musig_session_id } = await ask('musig-sessions', { public_keys, message, ...how });
    const [first, second, last] = signers;
    for (const { publicKey, nonce } of [first, second]) {
      await ask(`musig-sessions/${musig_session_id}/nonces`, { public_key: publicKey, public_nonce: nonce });
    }
    const ready = await ask(`musig-sessions/${musig_session_id}/sign`, { key: last.key });
    let signature: string | null = null;
    for (const signer of [first, second]) {
      const given = { public_key: signer.publicKey, partial_signature: signer.sign(ready) };
      ({ signature } = await ask(`musig-sessions/${musig_session_id}/partial-signatures`, given));
    }
    const { nodes } = await judged(withWitness(spend.transaction, (signature as string | null) ?? ''), spend.prevouts);
    expect(nodes.allowed).toBe(true);
  });
});

describe('a node refuses what is refused here', () => {
  it('for the same reason', async () => {
    const { address, leaves } = await ask('outputs/preview', tree);
    const spend = await funded(address);
    const leaf = leaves.find(({ script }: Json) => script === '5587');
    const other = leaves.find(({ script }: Json) => script === '51');
    const flipped = (Number.parseInt(leaf.control_block.slice(0, 2), 16) ^ 1).toString(16);
    const cases: [string[], string][] = [
      [
        ['06', leaf.script, leaf.control_block],
        'Script evaluated without error but finished with a false/empty top stack',
      ],
      [['05', leaf.script, other.control_block], 'Witness program hash mismatch'],
      [['05', leaf.script, flipped + leaf.control_block.slice(2)], 'Witness program hash mismatch'],
      [['05', leaf.script, leaf.control_block.slice(0, -2)], 'Invalid Taproot control block size'],
      [['ab'.repeat(64)], 'Invalid Schnorr signature'],
      [['ab'.repeat(63)], 'Invalid Schnorr signature size'],
      [['05', '05', leaf.script, leaf.control_block], 'Stack size must be exactly one after execution'],
      [['05', leaf.script, leaf.control_block, '5001'], 'annex'],
      [[], 'Witness program was passed an empty witness'],
    ];
    for (const [witness, reason] of cases) {
      const { nodes, ours } = await judged(withWitness(spend.transaction, ...witness), spend.prevouts);
      expect(nodes.allowed).toBe(false);
      const said = `${nodes['reject-reason']} ${nodes['reject-details'] ?? ''}`;
      const named = ours.leaf?.control_block.problem ?? null;
      // Where the control block is wrong our sentence says more than the node's; an annex is policy, of which nodes say little.
      if (reason === 'annex') expect(ours.standard_reason).toMatch(/annex/);
      else {
        expect(said).toContain(reason);
        if (named === null) expect(ours.reason).toContain(reason);
        else expect(ours.reason).toMatch(/control block/);
      }
    }
  });
});
