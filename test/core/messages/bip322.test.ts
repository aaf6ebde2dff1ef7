import { Signer, Verifier } from 'bip322-js';
import { networks, Transaction } from 'bitcoinjs-lib';
import ECPairFactory from 'ecpair';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { sha256 } from '../../../src/core/hashes.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { messagePsbt } from '../../../src/core/messages/message-psbt.ts';
import { signMessage } from '../../../src/core/messages/sign-message.ts';
import { verifyMessage } from '../../../src/core/messages/verify-message.ts';
import {
  messageHash,
  serializeWitness,
  toSpend,
  UNSPENDABLE_SCRIPT,
} from '../../../src/core/messages/virtual-transactions.ts';
import { setWitnessUtxo } from '../../../src/core/psbt/codec/input-fields.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtMap } from '../../../src/core/psbt/psbt-map.ts';
import { signPsbt } from '../../../src/core/psbt/signing/sign-psbt.ts';
import { plainSigner } from '../../../src/core/psbt/signing/signers.ts';
import { derWithHashType } from '../../../src/core/scripts/der-signature.ts';
import { OP } from '../../../src/core/scripts/interpreter/opcodes.ts';
import { createSignatureHasher } from '../../../src/core/scripts/signature-hash.ts';
import { p2pkh, p2shP2wpkh, p2tr, p2wpkh, p2wsh } from '../../builders/script-forms.ts';

const ECPair = ECPairFactory(ecc);
const tools = { ecc, randomBytes: (size: number) => new Uint8Array(size).fill(3) };
const SECRET = new Uint8Array(32).fill(0x2a);
const POINT = ecc.pointFromScalar(SECRET) as Uint8Array;

/** From BIP322's basic test vectors. */
const HASHES = [
  {
    message: '',
    hash: 'c90c269c4f8fcbe6880f72a721ddfbf1914268a794cbb21cfafee13770ae19f1',
  },
  {
    message: 'Hello World',
    hash: 'f0eb03b1a75ac6d9847f55c624a99169b5dccba2a31f5b23bea77ba270de0a7a',
  },
];

describe('BIP322', () => {
  it.each(HASHES)('hashes %j as a tagged hash', ({ message, hash }) => {
    expect(messageHash(Buffer.from(message)).toString('hex')).toBe(hash);
  });

  const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => ecc.isPrivate(bytes));
  const form = fc.constantFrom(p2wpkh, p2tr);

  it('simple signatures are read by bip322-js, which knows them without prefix, and its ones here', () => {
    fc.assert(
      fc.property(key, form, fc.string({ unit: 'grapheme' }), (secret, make, message) => {
        const point = ecc.pointFromScalar(secret) as Uint8Array;
        const { address, scriptPubKey } = make(point, 'mainnet');
        const wif = ECPair.fromPrivateKey(secret).toWIF();
        const script = Buffer.from(scriptPubKey, 'hex');
        const request = { script, message: Buffer.from(message), key: wif, format: null, network: 'mainnet' as const };
        const { signature, format } = signMessage(request, tools);
        expect(format).toBe('simple');
        expect(Verifier.verifySignature(address, message, signature.slice(3))).toBe(true);
        expect(Verifier.verifySignature(address, `${message}.`, signature.slice(3))).toBe(false);
        const theirs = Signer.sign(wif, address, message) as string;
        expect(verifyMessage(script, Buffer.from(message), theirs)).toMatchObject({ state: 'valid', format: 'simple' });
        expect(verifyMessage(script, Buffer.from(`${message}.`), theirs)).toMatchObject({ state: 'invalid' });
      }),
      { numRuns: 25 },
    );
  });

  it('no byte of a signature can be changed', () => {
    for (const make of [p2wpkh, p2tr, p2pkh, p2shP2wpkh]) {
      const script = Buffer.from(make(POINT, 'regtest').scriptPubKey, 'hex');
      const text = Buffer.from(SECRET).toString('hex');
      const request = { script, message: Buffer.from('m'), key: text, format: null, network: 'regtest' as const };
      const { signature } = signMessage(request, tools);
      const bytes = Buffer.from(signature.slice(3), 'base64');
      for (const at of bytes.keys()) {
        const damaged = Buffer.from(bytes);
        damaged[at]! ^= 1;
        const verdict = verifyMessage(script, request.message, signature.slice(0, 3) + damaged.toString('base64'));
        expect(verdict.state, `byte ${at}`).not.toBe('valid');
      }
    }
  });
});

const MESSAGE = Buffer.from('rules');

describe('the required and upgradeable rules', () => {
  /** A full signature for a P2WSH address by a witness made of the hash to sign. */
  function full(
    witnessScript: Uint8Array,
    unlock: (hash: (type: number) => Uint8Array) => Uint8Array[],
    change: (tx: Transaction) => void = () => {},
  ) {
    const script = Buffer.from(p2wsh(witnessScript, 'regtest').scriptPubKey, 'hex');
    const tx = new Transaction();
    tx.version = 0;
    tx.addInput(Buffer.from(toSpend(script, MESSAGE).txid, 'hex').reverse(), 0, 0);
    tx.addOutput(Uint8Array.of(0x6a), 0n);
    change(tx);
    const spent = { amountSats: 0n, scriptPubKey: script.toString('hex') };
    const hasher = createSignatureHasher(parseTransaction(tx.toBuffer()), [spent]);
    tx.setWitness(0, [...unlock((type) => hasher.segwitV0(0, witnessScript, type)), witnessScript]);
    return verifyMessage(script, MESSAGE, `ful${Buffer.from(tx.toBuffer()).toString('base64')}`);
  }
  const checksig = Buffer.concat([Uint8Array.of(33), POINT, Uint8Array.of(OP.CHECKSIG)]);
  const signed = (type: number) => (hash: (type: number) => Uint8Array) => [
    derWithHashType(ecc.signEcdsa(hash(type), SECRET), type),
  ];

  it('only SIGHASH_ALL', () => {
    expect(full(checksig, signed(1))).toMatchObject({ state: 'valid', validAt: { locktime: 0, sequence: 0 } });
    for (const type of [2, 3, 0x81, 0x82, 0x83])
      expect(full(checksig, signed(type))).toMatchObject({
        state: 'invalid',
        reason: expect.stringMatching(/sighash/),
      });
    expect(full(checksig, signed(4))).toMatchObject({ state: 'invalid', scriptError: 'SIG_HASHTYPE' });
  });

  it('no OP_CODESEPARATOR, run or not, in any script', () => {
    const separated = Buffer.concat([checksig, Uint8Array.of(0, OP.IF, OP.CODESEPARATOR, OP.ENDIF)]);
    expect(full(separated, signed(1))).toMatchObject({ state: 'invalid', reason: expect.stringMatching(/CODESEP/) });
  });

  it('minimal conditions, clean stacks, empty signatures where they fail', () => {
    const conditional = Uint8Array.of(OP.IF, OP[1], OP.ENDIF);
    expect(full(conditional, () => [Uint8Array.of(1)])).toMatchObject({ state: 'valid' });
    expect(full(conditional, () => [Uint8Array.of(2)])).toMatchObject({ state: 'invalid', scriptError: 'MINIMALIF' });
    expect(full(Uint8Array.of(OP[1]), () => [Uint8Array.of(1)])).toMatchObject({ scriptError: 'CLEANSTACK' });
    const negated = Buffer.concat([checksig, Uint8Array.of(OP.NOT)]);
    expect(full(negated, () => [new Uint8Array(0)])).toMatchObject({ state: 'valid' });
    expect(full(negated, (hash) => signed(1)(() => sha256(hash(1))))).toMatchObject({ scriptError: 'SIG_NULLFAIL' });
  });

  it('reserved NOPs, versions and programs are inconclusive', () => {
    expect(full(Uint8Array.of(OP.NOP10, OP[1]), () => [])).toMatchObject({
      state: 'inconclusive',
      scriptError: 'DISCOURAGE_UPGRADABLE_NOPS',
    });
    const versioned = (version: number) =>
      full(checksig, signed(1), (tx) => {
        tx.version = version;
      });
    expect([versioned(0).state, versioned(2).state]).toEqual(['valid', 'valid']);
    expect([versioned(1).state, versioned(3).state]).toEqual(['inconclusive', 'inconclusive']);
    const future = Buffer.from(`5220${'07'.repeat(32)}`, 'hex');
    const witness = serializeWitness([Uint8Array.of(1)]);
    expect(verifyMessage(future, MESSAGE, `smp${witness.toString('base64')}`)).toMatchObject({
      state: 'inconclusive',
      scriptError: 'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM',
    });
  });

  it('time locks are told: valid at time T and age S', () => {
    const script = Uint8Array.of(1, 100, OP.CHECKLOCKTIMEVERIFY);
    const at = (locktime: number, sequence: number) =>
      full(
        script,
        () => [],
        (tx) => {
          tx.locktime = locktime;
          tx.ins[0]!.sequence = sequence;
        },
      );
    expect(at(99, 0)).toMatchObject({ state: 'invalid', scriptError: 'UNSATISFIED_LOCKTIME' });
    expect(at(100, 5)).toMatchObject({ state: 'valid', validAt: { locktime: 100, sequence: 5 } });
    // BIP65: an input whose sequence is final switches the lock time off.
    expect(at(100, 0xffffffff)).toMatchObject({ state: 'invalid', scriptError: 'UNSATISFIED_LOCKTIME' });
  });

  it('a to_sign that nobody would relay is not run', () => {
    const witnessScript = Buffer.concat([Uint8Array.of(OP['2DROP'])]);
    const heavy = new Uint8Array(400_000);
    expect(full(witnessScript, () => [heavy, heavy])).toMatchObject({ state: 'inconclusive' });
  });

  it('a simple signature is a witness stack and nothing more', () => {
    const script = Buffer.from(p2wpkh(POINT, 'regtest').scriptPubKey, 'hex');
    for (const hex of ['00', '0200', '010100ff', 'ff', 'fdffff00'])
      expect(verifyMessage(script, MESSAGE, `smp${Buffer.from(hex, 'hex').toString('base64')}`).state).toBe('invalid');
    const legacy = Buffer.from(p2pkh(POINT, 'regtest').scriptPubKey, 'hex');
    expect(verifyMessage(legacy, MESSAGE, 'smpAQEB').reason).toMatch(/segwit addresses/);
  });

  it('the output of to_spend, which is its first and only one', () => {
    const other = full(checksig, signed(1), (tx) => {
      tx.ins[0]!.index = 1;
    });
    expect(other).toMatchObject({ state: 'invalid', reason: expect.stringMatching(/does not spend to_spend/) });
  });

  it('a key of another network is refused', () => {
    const wif = ECPair.fromPrivateKey(SECRET, { network: networks.regtest }).toWIF();
    const script = Buffer.from(p2tr(POINT, 'mainnet').scriptPubKey, 'hex');
    const request = { script, message: MESSAGE, key: wif, format: null, network: 'mainnet' as const };
    expect(() => signMessage(request, tools)).toThrow(/network/);
  });
});

it('a proof of funds claims what the previous transaction says, where no signature covers the amount', () => {
  const script = Buffer.from(p2pkh(POINT, 'regtest').scriptPubKey, 'hex');
  const challenge = Buffer.from(p2wpkh(POINT, 'regtest').scriptPubKey, 'hex');
  const paying = (sats: bigint): Buffer => {
    const tx = new Transaction();
    tx.addInput(Buffer.alloc(32, 1), 0);
    tx.addOutput(script, sats);
    return Buffer.from(tx.toBuffer());
  };
  const [previous, forged] = [paying(5_000n), paying(900_000_000n)];
  const psbt = createPsbt({
    version: 2,
    inputs: [
      {
        outpoint: { txid: toSpend(challenge, MESSAGE).txid, vout: 0 },
        witnessUtxo: { amountSats: 0n, script: challenge },
      },
      { outpoint: { txid: parseTransaction(previous).txid, vout: 0 }, nonWitnessUtxo: previous },
    ],
    outputs: [{ amountSats: 0n, script: UNSPENDABLE_SCRIPT }],
  });
  const signer = plainSigner(Uint8Array.from(SECRET), true);
  const { psbt: final, missing } = finalizePsbt(signPsbt(psbt, signer, tools).psbt);
  expect(missing).toEqual([]);
  const judged = (change: (input: PsbtMap) => void) => {
    const input = final.inputs[1]!.clone();
    change(input);
    const bytes = serializePsbt({ ...final, inputs: [final.inputs[0]!, input] });
    return verifyMessage(challenge, MESSAGE, `pof${bytes.toString('base64')}`);
  };
  expect(judged(() => {})).toMatchObject({ state: 'valid', claimed: [{ output: { amountSats: 5_000n } }] });
  expect(judged((input) => input.set(INPUT.NON_WITNESS_UTXO, forged))).toMatchObject({
    state: 'invalid',
    reason: expect.stringContaining('another transaction'),
  });
  const alone = judged((input) => {
    input.remove(INPUT.NON_WITNESS_UTXO);
    setWitnessUtxo(input, { amountSats: 900_000_000n, scriptPubKey: script.toString('hex') });
  });
  expect(alone).toMatchObject({ state: 'invalid', reason: expect.stringContaining('needs a non-witness UTXO') });
});

it('judges whatever is given as a signature, and never throws', () => {
  const scripts = [p2wpkh, p2tr, p2pkh, p2shP2wpkh].map((make) =>
    Buffer.from(make(POINT, 'regtest').scriptPubKey, 'hex'),
  );
  const text = Buffer.from(SECRET).toString('hex');
  const made = scripts.map((script) => {
    const request = { script, message: MESSAGE, key: text, format: 'full' as const, network: 'regtest' as const };
    return Buffer.from(signMessage(request, tools).signature.slice(3), 'base64');
  });
  const proof = Buffer.from(serializePsbt(messagePsbt(scripts[0]!, MESSAGE, {})));
  const edited = fc
    .record({
      base: fc.constantFrom(...made, proof),
      edits: fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { maxLength: 6 }),
      cut: fc.option(fc.nat()),
    })
    .map(({ base, edits, cut }) => {
      const bytes = Buffer.from(base);
      for (const { at, byte } of edits) bytes[at % bytes.length] = byte;
      return cut === null ? bytes : bytes.subarray(0, cut % bytes.length);
    });
  fc.assert(
    fc.property(
      fc.constantFrom(...scripts, Buffer.from('51', 'hex'), Buffer.alloc(0)),
      fc.constantFrom('', 'smp', 'ful', 'pof', 'xyz'),
      fc.oneof(
        edited,
        fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
      ),
      (script, prefix, bytes) => {
        const { state, reason } = verifyMessage(script, MESSAGE, prefix + bytes.toString('base64'));
        expect(['valid', 'inconclusive', 'invalid']).toContain(state);
        expect(reason === null).toBe(state === 'valid');
      },
    ),
    { numRuns: 1500 },
  );
});
