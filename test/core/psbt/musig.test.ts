import { keyAggregate } from '@scure/btc-signer/musig2.js';
import { BIP32Factory } from 'bip32';
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { hash160 } from '../../../src/core/hashes.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { GLOBAL, INPUT, MODIFIABLE, OUTPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import type { PsbtInputFacts } from '../../../src/core/psbt/construction/psbt-draft.ts';
import { extractTransaction } from '../../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import { inspectPsbt } from '../../../src/core/psbt/inspection/inspect-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { STANDARD_FLAGS } from '../../../src/core/scripts/interpreter/script-flags.ts';
import { verifySpend } from '../../../src/core/scripts/interpreter/verify-spend.ts';
import { p2tr } from '../../../src/core/scripts/output-scripts.ts';
import { taprootOutput } from '../../../src/core/taproot/taproot-output.ts';
import { addMusigNonces, signMusigRound } from '../../builders/musig-rounds.ts';
import { signerOf, signWith } from './funded.ts';
import { A, B, C, miniscriptScript, type TestKey } from './spend-cases.ts';

const KEYS = [A, B, C];
const aggregate = Buffer.from(keyAggregate(KEYS.map(({ point }) => point)).aggPublicKey.toBytes(true));
const xOnly = aggregate.subarray(1);
const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size));
const tools = { ecc, randomBytes };

const participants = {
  type: INPUT.MUSIG2_PARTICIPANT_PUBKEYS,
  keyData: aggregate,
  value: Buffer.concat(KEYS.map(({ point }) => point)),
};
const leaf = miniscriptScript(`pk(${xOnly.toString('hex')})`, true);
const tree = taprootOutput(A.xOnly, [
  { script: leaf, leafVersion: 0xc0 },
  { script: miniscriptScript(`pk(${B.xOnly.toString('hex')})`, true), leafVersion: 0xc0 },
]);
const withTree = taprootOutput(xOnly, { script: leaf, leafVersion: 0xc0 });
// BIP328: the chain code of every aggregate key.
const derived = BIP32Factory(ecc)
  .fromPublicKey(aggregate, Buffer.from('868087ca02a6f974c4598924c36b57762d32cb45717167e300622c7167e38965', 'hex'))
  .derivePath('m/0/7');
const derivedKey = Buffer.from(derived.publicKey.subarray(1));
const derivedOutput = taprootOutput(derivedKey, null);

const CASES: { name: string; script: Buffer; facts: PsbtInputFacts }[] = [
  { name: 'the output key', script: p2tr(xOnly), facts: {} },
  {
    name: 'the internal key of an output with a tree',
    script: withTree.scriptPubKey,
    facts: { tapInternalKey: xOnly, tapMerkleRoot: withTree.merkleRoot! },
  },
  {
    name: 'a key in a leaf',
    script: tree.scriptPubKey,
    facts: {
      tapInternalKey: A.xOnly,
      tapMerkleRoot: tree.merkleRoot!,
      tapLeafScripts: [{ script: leaf, leafVersion: 0xc0, controlBlock: tree.leaves[0]!.controlBlock }],
    },
  },
  {
    name: 'the parent of the internal key',
    script: derivedOutput.scriptPubKey,
    facts: {
      tapInternalKey: derivedKey,
      tapBip32Derivations: [
        { xOnlyKey: derivedKey, leafHashes: [], fingerprint: hash160(aggregate).toString('hex', 0, 4), path: [0, 7] },
      ],
    },
  },
];

const create = (script: Buffer, facts: PsbtInputFacts, sighashType?: number): PsbtV2 =>
  createPsbt({
    inputs: [
      {
        outpoint: { txid: 'ab'.repeat(32) as never, vout: 1 },
        witnessUtxo: { amountSats: 50_000n, script },
        ...facts,
        sighashType,
        fields: [participants],
      },
    ],
    outputs: [{ amountSats: 40_000n, script: p2tr(xOnly) }],
    modifiable: { inputs: true, outputs: true },
  });

const reread = (psbt: PsbtV2): PsbtV2 => parsePsbt(serializePsbt(psbt)) as PsbtV2;

function firstRound(psbt: PsbtV2, keys: readonly TestKey[]) {
  const sessions = [];
  let current = psbt;
  for (const key of keys) {
    const round = addMusigNonces(current, signerOf(key), tools);
    current = reread(round.psbt);
    sessions.push({ key, nonces: round.nonces });
  }
  return { psbt: current, sessions };
}

function isSpendable(psbt: PsbtV2, script: Buffer): void {
  const { psbt: final, missing } = finalizePsbt(psbt);
  expect(missing).toEqual([]);
  const transaction = parseTransaction(extractTransaction(final).raw);
  const spent = [{ amountSats: 50_000n, scriptPubKey: script.toString('hex') }];
  expect(verifySpend(transaction, spent, 0, STANDARD_FLAGS)).toEqual({ valid: true });
  for (const type of [0x1a, 0x1b, 0x1c]) expect(final.inputs[0]!.has(type)).toBe(false);
}

describe.each(CASES)('MuSig2 where the aggregate key is $name', ({ script, facts }) => {
  it.each([undefined, 1])('signs in two rounds, in any order, sighash type %s', (sighashType) => {
    const { psbt, sessions } = firstRound(create(script, facts, sighashType), [C, A, B]);
    let signed = psbt;
    for (const { key, nonces } of sessions.reverse()) {
      expect(finalizePsbt(signed).complete).toBe(false);
      signed = reread(signMusigRound(signed, signerOf(key), nonces).psbt);
      expect(nonces.left).toBe(0);
    }
    isSpendable(signed, script);
    expect(signed.global.get(GLOBAL.TX_MODIFIABLE)).toEqual(Buffer.of(0));
  });

  it('needs no second visit of the one who comes last', () => {
    const { psbt, sessions } = firstRound(create(script, facts), [B, C]);
    let signed = reread(signWith(psbt, A));
    for (const { key, nonces } of sessions) signed = signMusigRound(signed, signerOf(key), nonces).psbt;
    isSpendable(signed, script);
  });
});

describe('what an input of MuSig2 lacks', () => {
  it('is told by rounds', () => {
    const [{ script, facts }] = CASES as [(typeof CASES)[0]];
    const lacks = (psbt: PsbtV2) => inspectPsbt(psbt, { network: 'regtest' }).view.inputs[0]!.lacks;
    const empty = create(script, facts);
    expect(lacks(empty)).toBe('MuSig2 nonces of 3 of 3 participants, then their partial signatures');
    expect(lacks(firstRound(empty, [B, C]).psbt)).toBe(
      'MuSig2 nonces of 1 of 3 participants, then their partial signatures',
    );
    const { psbt, sessions } = firstRound(empty, KEYS);
    let signed = psbt;
    for (const left of [3, 2, 1]) {
      expect(lacks(signed)).toBe(`MuSig2 partial signatures of ${left} of 3 participants`);
      const { key, nonces } = sessions[left - 1]!;
      signed = reread(signMusigRound(signed, signerOf(key), nonces).psbt);
    }
    expect(lacks(signed)).toBe('nothing but being finalized');
  });
});

describe('MuSig2 nonces', () => {
  const [{ script, facts }] = CASES as [(typeof CASES)[0]];

  it('sign once, whatever the PSBT says the second time', () => {
    const { psbt, sessions } = firstRound(create(script, facts), KEYS);
    const [{ key, nonces }] = sessions as [(typeof sessions)[0]];
    signMusigRound(psbt, signerOf(key), nonces);
    expect(() => signMusigRound(psbt, signerOf(key), nonces)).toThrow(
      expect.objectContaining({ code: 'nothing_signed' }),
    );
  });

  it('sign nothing but the transaction that they were made for', () => {
    const { psbt, sessions } = firstRound(create(script, facts), KEYS);
    const [{ key, nonces }] = sessions as [(typeof sessions)[0]];
    const amount = Buffer.alloc(8);
    amount.writeBigInt64LE(39_000n);
    const output = psbt.outputs[0]!.clone();
    output.set(OUTPUT.AMOUNT, amount);
    expect(() => signMusigRound({ ...psbt, outputs: [output] }, signerOf(key), nonces)).toThrow(
      expect.objectContaining({ code: 'nothing_signed' }),
    );
    expect(nonces.left).toBe(1);
    nonces.dispose();
    expect(nonces.left).toBe(0);
  });

  it('are written nowhere', () => {
    const { sessions } = firstRound(create(script, facts), [A]);
    expect(JSON.stringify(sessions[0]!.nonces)).toBe('{}');
    expect(Object.keys(sessions[0]!.nonces)).toEqual([]);
  });

  it('leave what may be modified as it is; partial signatures do not', () => {
    const unsigned = create(script, facts);
    const { psbt, sessions } = firstRound(unsigned, KEYS);
    expect(psbt.global.get(GLOBAL.TX_MODIFIABLE)).toEqual(Buffer.of(MODIFIABLE.INPUTS | MODIFIABLE.OUTPUTS));
    const { key, nonces } = sessions[0]!;
    expect(signMusigRound(psbt, signerOf(key), nonces).psbt.global.get(GLOBAL.TX_MODIFIABLE)).toEqual(Uint8Array.of(0));
  });

  it('are not made by keys that take no part', () => {
    const [other] = [{ ...A, hex: 'aa'.repeat(32) }];
    expect(() => addMusigNonces(create(script, facts), signerOf(other), tools)).toThrow(
      expect.objectContaining({ code: 'nothing_signed' }),
    );
  });

  it('are not made for participants who do not add up to the aggregate key', () => {
    const psbt = create(script, facts);
    const input = psbt.inputs[0]!.clone();
    const [entry] = input.all(INPUT.MUSIG2_PARTICIPANT_PUBKEYS);
    input.set(INPUT.MUSIG2_PARTICIPANT_PUBKEYS, entry!.value.subarray(0, 66), entry!.keyData);
    for (const key of KEYS)
      expect(() => addMusigNonces({ ...psbt, inputs: [input] }, signerOf(key), tools)).toThrow(
        expect.objectContaining({ code: 'nothing_signed' }),
      );
  });

  it('of a participant who cheats make no signature', () => {
    const { psbt, sessions } = firstRound(create(script, facts), KEYS);
    let signed = psbt;
    for (const { key, nonces } of sessions) signed = signMusigRound(signed, signerOf(key), nonces).psbt;
    const [entry] = signed.inputs[0]!.all(INPUT.MUSIG2_PARTIAL_SIG);
    const input = signed.inputs[0]!.clone();
    input.set(INPUT.MUSIG2_PARTIAL_SIG, Buffer.alloc(32, 3), entry!.keyData);
    expect(finalizePsbt({ ...signed, inputs: [input] }).complete).toBe(false);
  });
});
