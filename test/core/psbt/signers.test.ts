/** Which keys sign what, what is refused, and what becomes of the keys' bytes. */
import { BIP32Factory } from 'bip32';
import { networks } from 'bitcoinjs-lib';
import { ECPairFactory } from 'ecpair';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { hash160, sha256 } from '../../../src/core/hashes.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { GLOBAL, INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { signPsbt } from '../../../src/core/psbt/signing/sign-psbt.ts';
import {
  type PsbtSigner,
  type SigningKey,
  signerFromAccountKey,
  signerFromKeyText,
} from '../../../src/core/psbt/signing/signers.ts';
import { SIGHASH_NAMES } from '../../../src/core/scripts/sighash-type.ts';
import { noteSecret } from '../../secrets/collected.ts';
import { CASE_SATS, fundingTransaction, signWith, spendingPsbt, tools } from './funded.ts';
import { A, B, C, multisig, SPEND_CASES, type SpendCase } from './spend-cases.ts';

const caseOf = (name: string): SpendCase => SPEND_CASES.find((one) => one.name === name)!;
const funding = fundingTransaction(SPEND_CASES);
const output = { amountSats: 1000n, script: Buffer.from(`0014${'11'.repeat(20)}`, 'hex') };
const spending = (names: readonly string[], sighashType?: number): PsbtV2 =>
  spendingPsbt(
    funding,
    names.map((name) => ({ case: caseOf(name), vout: SPEND_CASES.indexOf(caseOf(name)), sighashType })),
    [output],
    { inputs: true, outputs: true },
  );
const refusal = (run: () => unknown): DomainError => {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

const pairs = ECPairFactory(ecc);
const bip32 = BIP32Factory(ecc);
const root = bip32.fromSeed(Buffer.alloc(64, 3), networks.regtest);
const child = root.derivePath("m/84'/1'/0'/0/5");
const fingerprint = Buffer.from(root.fingerprint).toString('hex');
const hardened = (step: number) => 0x80000000 + step;
const PATH = [hardened(84), hardened(1), hardened(0), 0, 5];

/** One P2WPKH input of the child key, with its derivation. */
const derivedPsbt = (derivation = { fingerprint, path: PATH }, publicKey: Uint8Array = child.publicKey): PsbtV2 =>
  createPsbt({
    inputs: [
      {
        outpoint: { txid: 'cd'.repeat(32) as never, vout: 0 },
        witnessUtxo: {
          amountSats: 5000n,
          script: Buffer.concat([Buffer.of(0, 20), child.identifier]),
        },
        bip32Derivations: [{ publicKey, ...derivation }],
      },
    ],
    outputs: [output],
  });

const signsWith = (text: string, psbt: PsbtV2): boolean => {
  noteSecret('psbt_key', text);
  const signer = signerFromKeyText(text, 'regtest');
  try {
    return signPsbt(psbt, signer, tools).signedInputs.length === 1;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'nothing_signed') return false;
    throw error;
  } finally {
    signer.dispose();
  }
};

afterEach(() => vi.restoreAllMocks());

describe('a key text', () => {
  const compressed = pairs.fromPrivateKey(A.privateKey, { network: networks.regtest }).toWIF();
  const uncompressed = pairs.fromPrivateKey(A.privateKey, { network: networks.regtest, compressed: false }).toWIF();

  it('in WIF signs for the public key in the form that it says, hex for either', () => {
    for (const [text, plain, long] of [
      [compressed, true, false],
      [uncompressed, false, true],
      [A.hex, true, true],
      [A.hex.toUpperCase(), true, true],
      [` ${compressed}\n`, true, false],
    ] as const) {
      expect(signsWith(text, spending(['p2pkh']))).toBe(plain);
      expect(signsWith(text, spending(['p2pkh of an uncompressed key']))).toBe(long);
    }
  });

  it('of an extended key signs what derives from it, wherever in the path it stands', () => {
    const psbt = derivedPsbt();
    const account = root.derivePath("m/84'/1'/0'");
    const texts = [
      root.toBase58(),
      account.toBase58(),
      account.derive(0).toBase58(),
      child.toBase58(),
      `[${fingerprint}/84h/1h/0h]${account.toBase58()}`,
      `[${fingerprint.toUpperCase()}/84'/1H/0']${account.toBase58()}`,
      `[${fingerprint}]${root.toBase58()}`,
    ];
    for (const text of texts) expect(signsWith(text, psbt)).toBe(true);
    const own = { fingerprint: Buffer.from(account.fingerprint).toString('hex'), path: [0, 5] };
    expect(signsWith(account.toBase58(), derivedPsbt(own))).toBe(true);
  });

  it('of an extended key signs nothing for another path, origin or key', () => {
    const account = root.derivePath("m/84'/1'/0'");
    expect(signsWith(account.toBase58(), derivedPsbt({ fingerprint, path: [...PATH.slice(0, 4), 6] }))).toBe(false);
    expect(signsWith(`[00000000/84h/1h/0h]${account.toBase58()}`, derivedPsbt())).toBe(false);
    expect(signsWith(`[${fingerprint}/84h/1h/1h]${account.toBase58()}`, derivedPsbt())).toBe(false);
    expect(signsWith(root.derivePath("m/84'/1'/1'").toBase58(), derivedPsbt())).toBe(false);
    expect(signsWith(bip32.fromSeed(Buffer.alloc(64, 4), networks.regtest).toBase58(), derivedPsbt())).toBe(false);
    expect(signsWith(root.toBase58(), derivedPsbt(undefined, A.point))).toBe(false);
    expect(signsWith(root.toBase58(), derivedPsbt({ fingerprint, path: new Array(256).fill(0) }))).toBe(false);
  });

  const xprv = root.toBase58();
  const mistyped = `${compressed.slice(0, -1)}${compressed.endsWith('1') ? '2' : '1'}`;
  it.each([
    ['a mistyped WIF', mistyped, 'invalid_key'],
    ['WIF of mainnet', pairs.fromPrivateKey(A.privateKey).toWIF(), 'wrong_network'],
    ['xprv of mainnet', bip32.fromSeed(Buffer.alloc(64, 3)).toBase58(), 'wrong_network'],
    ['a public key', root.neutered().toBase58(), 'invalid_key'],
    ['zero', '00'.repeat(32), 'invalid_key'],
    ['the order of the group', 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'invalid_key'],
    ['an extended key cut off', xprv.slice(0, -3), 'invalid_key'],
    ['an extended key with steps', `${xprv}/0/1`, 'invalid_key'],
    ['an origin with a step too large', `[${fingerprint}/2147483648]${xprv}`, 'invalid_key'],
    ['an origin that is none', `[xyz]${xprv}`, 'invalid_key'],
    ['65 digits', `${A.hex}0`, 'invalid_key'],
    ['a long text', `${'1'.repeat(10_000)}${A.hex}`, 'invalid_key'],
    ['ones', '1'.repeat(60), 'invalid_key'],
    ['nothing', '', 'invalid_key'],
  ])('that is %s is refused, and not repeated', (_, text, code) => {
    const error = refusal(() => signerFromKeyText(text, 'regtest'));
    expect(error.code).toBe(code);
    expect(error.details.field).toBe('key');
    const told = JSON.stringify([error.message, error.details, error.stack]);
    for (let at = 0; at + 8 <= text.length; at += 4) expect(told).not.toContain(text.slice(at, at + 8));
  });
});

describe('the bytes of a key', () => {
  /** Remembers every key that the signer gave away. */
  const watched = (signer: PsbtSigner): { signer: PsbtSigner; given: SigningKey[] } => {
    const given: SigningKey[] = [];
    const keysFor: PsbtSigner['keysFor'] = (derivations) => {
      const keys = signer.keysFor(derivations);
      given.push(...keys);
      return keys;
    };
    return { signer: { ...signer, keysFor }, given };
  };
  const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

  it.each([
    [
      'a plain key',
      () => signerFromKeyText(A.hex, 'regtest'),
      spending(['p2pkh', 'p2wpkh', 'p2tr by its key', 'p2tr leaf']),
    ],
    ['an extended key', () => signerFromKeyText(root.toBase58(), 'regtest'), derivedPsbt()],
  ])('are overwritten after use: %s', (_, open, psbt) => {
    const { signer, given } = watched(open());
    signPsbt(psbt, signer, tools);
    expect(given.length).toBeGreaterThan(0);
    for (const { privateKey } of given) expect(isZero(privateKey)).toBe(true);
  });

  it('are overwritten where signing is refused, too', () => {
    const { signer, given } = watched(signerFromKeyText(A.hex, 'regtest'));
    expect(refusal(() => signPsbt(spending(['p2wpkh'], 2), signer, tools)).code).toBe('unsafe_to_sign');
    expect(given.length).toBeGreaterThan(0);
    for (const { privateKey } of given) expect(isZero(privateKey)).toBe(true);
  });

  it('are overwritten in the signer once it is disposed of, branches and all', () => {
    const account = root.derivePath("m/84'/1'/0'");
    const ours = { privateKey: account.privateKey!, chainCode: account.chainCode };
    const seen: Uint8Array[] = [];
    const original = ecc.pointFromScalar;
    vi.spyOn(ecc, 'pointFromScalar').mockImplementation((scalar, compressed) => {
      seen.push(scalar);
      return original(scalar, compressed);
    });
    for (const text of [A.hex, root.toBase58()]) {
      const signer = signerFromKeyText(text, 'regtest');
      signPsbt(text === A.hex ? spending(['p2wpkh']) : derivedPsbt(), signer, tools);
      signer.dispose();
      expect(() => signer.keysFor([])).toThrow('disposed');
    }
    const signer = signerFromAccountKey(ours, { fingerprint, path: PATH.slice(0, 3) });
    expect(signPsbt(derivedPsbt(), signer, tools).signedInputs).toEqual([0]);
    signer.dispose();
    expect(isZero(account.privateKey!)).toBe(false);
    expect(seen.length).toBeGreaterThan(6);
    for (const scalar of seen) expect(isZero(scalar)).toBe(true);
  });

  it('are overwritten where the text is of another network', () => {
    const seen: Uint8Array[] = [];
    vi.spyOn(ecc, 'isPrivate').mockImplementation((scalar) => {
      seen.push(scalar);
      return true;
    });
    refusal(() => signerFromKeyText(pairs.fromPrivateKey(A.privateKey).toWIF(), 'regtest'));
    refusal(() => signerFromKeyText(bip32.fromSeed(Buffer.alloc(64, 3)).toBase58(), 'regtest'));
    expect(seen.length).toBeGreaterThan(1);
    // The library that made the texts checks its own keys by the same function.
    const ours = seen.filter((scalar) => isZero(scalar));
    expect(ours).toHaveLength(2);
  });
});

describe('signing', () => {
  it('leaves what it was given as it is', () => {
    const psbt = spending(['p2wpkh']);
    const before = psbt.inputs[0]!.entries.length;
    const signed = signWith(psbt, A);
    expect(psbt.inputs[0]!.entries).toHaveLength(before);
    expect(signed.inputs[0]!.entries).toHaveLength(before + 1);
  });

  it('says for each input why it signed none', () => {
    const psbt = spending(['p2wpkh', 'p2sh multisig', 'p2tr by its key']);
    const [first, second, third] = psbt.inputs.map((input) => input.clone());
    first!.remove(INPUT.WITNESS_UTXO);
    second!.remove(INPUT.REDEEM_SCRIPT);
    third!.remove(INPUT.WITNESS_UTXO);
    const error = refusal(() => signWith({ ...psbt, inputs: [first!, second!, third!] }, A));
    expect(error.code).toBe('nothing_signed');
    expect(error.message).toContain('inputs 0, 2: its UTXO is missing');
    expect(error.message).toContain('input 1: its redeem script is missing');
    expect(refusal(() => signWith(spending(['p2wpkh']), B)).message).toContain(
      "none of the input's scripts has this key",
    );
    expect(refusal(() => signWith(signWith(spending(['p2wpkh']), A), A)).message).toContain(
      'signed by this key already',
    );
    expect(
      refusal(() =>
        signPsbt(
          derivedPsbt({ fingerprint: '00000000', path: PATH }),
          signerFromKeyText(root.toBase58(), 'regtest'),
          tools,
        ),
      ).message,
    ).toContain('no derivation path of this key is given');
  });

  it('of taproot needs the UTXO of every input', () => {
    const psbt = spending(['p2tr by its key', 'p2wpkh']);
    const second = psbt.inputs[1]!.clone();
    second.remove(INPUT.WITNESS_UTXO);
    expect(refusal(() => signWith({ ...psbt, inputs: [psbt.inputs[0]!, second] }, A)).message).toContain(
      'the UTXO of input 1 is missing',
    );
  });

  const changed = (name: string, change: (input: PsbtV2['inputs'][0]) => void): PsbtV2 => {
    const psbt = spending([name]);
    const input = psbt.inputs[0]!.clone();
    change(input);
    return { ...psbt, inputs: [input] };
  };
  const otherFunding = fundingTransaction([caseOf('p2wpkh')]);
  const utxo = (amount: bigint, script: Buffer): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(amount);
    return Buffer.concat([bytes, Buffer.of(script.length), script]);
  };
  it.each([
    [
      "another transaction's output",
      'p2pkh',
      (input) => input.set(INPUT.NON_WITNESS_UTXO, otherFunding),
      /not the one that its outpoint names/,
    ],
    [
      'an outpoint beyond the outputs',
      'p2pkh',
      (input) => input.set(INPUT.OUTPUT_INDEX, Buffer.from('ff000000', 'hex')),
      /has no output 255/,
    ],
    [
      'a witness UTXO for a spend without witness',
      'p2pkh',
      (input) => input.set(INPUT.WITNESS_UTXO, utxo(CASE_SATS, caseOf('p2pkh').script)),
      /without a witness/,
    ],
    [
      'two UTXOs that differ',
      'p2wpkh',
      (input) => {
        input.set(INPUT.NON_WITNESS_UTXO, funding);
        input.set(INPUT.WITNESS_UTXO, utxo(CASE_SATS + 1n, caseOf('p2wpkh').script));
      },
      /is not the output of its previous transaction/,
    ],
    [
      'two UTXOs of other scripts',
      'p2wpkh',
      (input) => {
        input.set(INPUT.NON_WITNESS_UTXO, funding);
        input.set(INPUT.WITNESS_UTXO, utxo(CASE_SATS, caseOf('p2wsh multisig').script));
      },
      /is not the output of its previous transaction/,
    ],
    [
      'an amount beyond all there is',
      'p2wpkh',
      (input) => input.set(INPUT.WITNESS_UTXO, utxo(2_100_000_000_000_001n, caseOf('p2wpkh').script)),
      /amount of its UTXO is out of range/,
    ],
    [
      'a redeem script without P2SH',
      'p2wpkh',
      (input) => input.set(INPUT.REDEEM_SCRIPT, Buffer.of(0x51)),
      /is no P2SH/,
    ],
    [
      'another redeem script',
      'p2sh multisig',
      (input) => input.set(INPUT.REDEEM_SCRIPT, multisig(1, A.point)),
      /redeem script is not the one/,
    ],
    [
      'a witness script without P2WSH',
      'p2wpkh',
      (input) => input.set(INPUT.WITNESS_SCRIPT, Buffer.of(0x51)),
      /is no P2WSH/,
    ],
    [
      'another witness script',
      'p2wsh multisig',
      (input) => input.set(INPUT.WITNESS_SCRIPT, multisig(1, A.point)),
      /witness script is not the one/,
    ],
    [
      'another internal key',
      'p2tr by its key',
      (input) => input.set(INPUT.TAP_INTERNAL_KEY, B.xOnly),
      /do not lead to its output key/,
    ],
    [
      'another merkle root',
      'p2tr with a tree by its key',
      (input) => input.set(INPUT.TAP_MERKLE_ROOT, Buffer.alloc(32, 1)),
      /do not lead to its output key/,
    ],
    [
      'a control block of another output',
      'p2tr leaf',
      (input) => {
        const [leaf] = input.all(INPUT.TAP_LEAF_SCRIPT);
        input.remove(INPUT.TAP_LEAF_SCRIPT);
        const control = Buffer.from(leaf!.keyData);
        control[40]! ^= 1;
        input.set(INPUT.TAP_LEAF_SCRIPT, leaf!.value, control);
      },
      /control block does not lead to its output key/,
    ],
    [
      'a control block of the other parity',
      'p2tr leaf',
      (input) => {
        const [leaf] = input.all(INPUT.TAP_LEAF_SCRIPT);
        input.remove(INPUT.TAP_LEAF_SCRIPT);
        const control = Buffer.from(leaf!.keyData);
        control[0]! ^= 1;
        input.set(INPUT.TAP_LEAF_SCRIPT, leaf!.value, control);
      },
      /control block does not lead to its output key/,
    ],
  ] as [string, string, (input: PsbtV2['inputs'][0]) => void, RegExp][])('refuses %s', (_, name, change, reason) => {
    for (const key of [A, C]) {
      const error = refusal(() => signWith(changed(name, change), key));
      expect(error.code).toBe('unsafe_to_sign');
      expect(error.message).toMatch(reason);
    }
  });

  it('signs no taproot input where the UTXO of another, the first one too, is missing', () => {
    for (const missing of [0, 1]) {
      const psbt = spending(['p2tr by its key', 'p2tr leaf']);
      const inputs = psbt.inputs.map((input) => input.clone());
      inputs[missing]!.remove(INPUT.WITNESS_UTXO);
      const error = refusal(() => signWith({ ...psbt, inputs }, A));
      expect(error.code).toBe('nothing_signed');
      expect(error.message).toContain(`the UTXO of input ${missing} is missing`);
    }
  });

  it('signs no witness program with an uncompressed key, whose hash it may have', () => {
    const script = Buffer.concat([Buffer.of(0, 20), hash160(A.uncompressed)]);
    const outpoint = { txid: 'cd'.repeat(32) as never, vout: 0 };
    const psbt = createPsbt({ inputs: [{ outpoint, witnessUtxo: { amountSats: 5000n, script } }], outputs: [output] });
    expect(refusal(() => signWith(psbt, A)).code).toBe('nothing_signed');
  });

  it('signs no script with OP_CODESEPARATOR, whose signatures cover a part of it', () => {
    const witnessScript = Buffer.concat([Buffer.of(33), A.point, Buffer.of(0xab, 0xac)]);
    const script = Buffer.concat([Buffer.of(0, 32), sha256(witnessScript)]);
    const outpoint = { txid: 'cd'.repeat(32) as never, vout: 0 };
    const psbt = createPsbt({
      inputs: [{ outpoint, witnessUtxo: { amountSats: 5000n, script }, witnessScript }],
      outputs: [output],
    });
    const error = refusal(() => signWith(psbt, A));
    expect(error.code).toBe('nothing_signed');
    expect(error.message).toContain('OP_CODESEPARATOR');
  });

  it('refuses to pay out more than is spent', () => {
    const psbt = spendingPsbt(
      funding,
      [{ case: caseOf('p2wpkh'), vout: SPEND_CASES.indexOf(caseOf('p2wpkh')) }],
      [{ ...output, amountSats: CASE_SATS + 1n }],
    );
    expect(refusal(() => signWith(psbt, A)).message).toContain('pay more than the inputs spend');
  });

  it.each([0x02, 0x03, 0x81, 0x82, 0x83])('with sighash type %s waits for a word that allows it', (type) => {
    for (const name of ['p2pkh', 'p2wpkh', 'p2tr by its key']) {
      const psbt = spending([name], type);
      const error = refusal(() => signWith(psbt, A));
      expect(error.code).toBe('unsafe_to_sign');
      const named = SIGHASH_NAMES.find((one) => error.message.includes(`: ${one} `))!;
      expect(() => signWith(psbt, A, { allowSighash: [named] })).not.toThrow();
      const others = SIGHASH_NAMES.filter((one) => one !== named);
      expect(refusal(() => signWith(psbt, A, { allowSighash: others })).code).toBe('unsafe_to_sign');
    }
  });

  it.each([0x00, 0x04, 0x41, 0x80, 0x101])('never with a type that is not defined: %s', (type) => {
    const options = { allowSighash: SIGHASH_NAMES };
    expect(refusal(() => signWith(spending(['p2wpkh'], type), A, options)).code).toBe('unsafe_to_sign');
    if (type !== 0)
      expect(refusal(() => signWith(spending(['p2tr by its key'], type), A, options)).code).toBe('unsafe_to_sign');
  });

  it('never a single output that is not there', () => {
    const psbt = spending(['p2tr by its key', 'p2wpkh'], 3);
    const options = { allowSighash: SIGHASH_NAMES };
    expect(refusal(() => signWith(psbt, A, options)).message).toContain('SINGLE signs the output of the same index');
  });

  it.each([
    [undefined, 0b000],
    [0x01, 0b000],
    [0x02, 0b010],
    [0x03, 0b100],
    [0x81, 0b001],
    [0x82, 0b011],
    [0x83, 0b101],
  ])('with sighash type %s leaves these flags of what may be modified: %s', (type, flags) => {
    const signed = signWith(spending(['p2wpkh'], type), A, { allowSighash: SIGHASH_NAMES });
    expect(signed.global.get(GLOBAL.TX_MODIFIABLE)).toEqual(Uint8Array.of(flags));
  });
});
