/** Key expressions (BIP380): `[fingerprint/path]key/steps/*`, where the key is public: hex, or an extended key of the network. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { BIP32Interface } from 'bip32';
import { HEX } from '../bytes.ts';
import { DomainError } from '../errors.ts';
import { ecc } from '../keys/ecc.ts';
import type { Network } from '../network.ts';
import { parseExtendedPublicKey } from '../wallets/extended-key.ts';

/** Where keys of which form may stand: bare and in sh() uncompressed ones too, in tr() x-only ones. */
export type KeyForm = 'any' | 'compressed' | 'x-only';

export interface KeyOrigin {
  /** 8 hex digits */
  readonly fingerprint: string;
  /** Hardened steps have bit 31. */
  readonly path: readonly number[];
}

export interface DescriptorKey {
  /** As Bitcoin Core writes it, hardened steps with h. */
  readonly text: string;
  readonly origin: KeyOrigin | null;
  readonly ranged: boolean;
  /** Steps behind the extended key, its wildcard left out; empty for a plain key. */
  readonly steps: readonly number[];
  readonly extended: boolean;
  /** 33 or 65 bytes. In tr() the even key of an x-only one. Throws RangeError for an index without key (1 in 2^127). */
  publicKeyAt(index: number): Uint8Array;
  /** Of musig() (BIP390): the keys that are aggregated. null for every other key. */
  readonly musig: MusigParts | null;
  /** What one index takes, in point multiplications and additions. */
  readonly work: number;
  /** Path from the origin (or from the extended or aggregate key itself, where there is none) to the key at an index. */
  derivationAt(index: number): { readonly fingerprint: string; readonly path: readonly number[] } | null;
}

export interface MusigParts {
  /** As they are written. */
  readonly participants: readonly DescriptorKey[];
  /** Their keys at an index in the order of aggregation, and what they add up to before BIP328's derivation. Compressed. */
  at(index: number): { readonly aggregate: Uint8Array; readonly publicKeys: readonly Uint8Array[] };
}

const HARDENED = 0x80000000;
/** Each costs a point multiplication, whoever sends it. */
export const MAX_STEPS = 32;
const EXPRESSION = /^(?:\[([0-9a-fA-F]{8})((?:\/[^/\]]*)*)\])?([^/[\]]+)((?:\/[^/]*)*)$/;
const WIF = /^[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}$/;

/** Throws `invalid_descriptor` or `wrong_network`; what was given is never repeated, since it may be a private key. */
export function parseDescriptorKey(text: string, form: KeyForm, network: Network): DescriptorKey {
  const match = EXPRESSION.exec(text);
  if (!match) throw invalid('a key is written [fingerprint/path]key/steps: an origin in brackets, then the key');
  const [, fingerprint, originPath, key, steps] = match as unknown as [string, string?, string?, string?, string?];
  const origin =
    fingerprint === undefined
      ? null
      : { fingerprint: fingerprint.toLowerCase(), path: parsePath(originPath ?? '', null) };
  const body = key ?? '';
  refusePrivate(body);
  if (body !== '' && HEX.test(body)) {
    if (steps) throw invalid('a plain public key has no steps behind it; an extended key (xpub, tpub) has');
    return plainKey(Buffer.from(body, 'hex'), form, origin);
  }
  return extendedKey(body, steps ?? '', origin, network);
}

function refusePrivate(key: string): void {
  if (!WIF.test(key) && !/^[xyztuvYZUV]prv/.test(key)) return;
  throw invalid(
    'the descriptor holds a private key: give its public form (xpub, tpub, hex). It was not kept; treat a key that left its home as known',
  );
}

function plainKey(bytes: Buffer, form: KeyForm, origin: KeyOrigin | null): DescriptorKey {
  const xOnly = form === 'x-only';
  if (bytes.length === 32 && !xOnly) throw invalid('an x-only key of 32 bytes stands in tr() and rawtr() only');
  const point = bytes.length === 32 ? Buffer.concat([Buffer.of(2), bytes]) : bytes;
  const length = point.length;
  if (length !== 33 && length !== 65) throw invalid('a public key has 33 bytes, 65 uncompressed, 32 in tr()');
  if (length === 65 && form !== 'any')
    throw invalid('an uncompressed key cannot stand within segwit or taproot scripts');
  if ((length === 65 && point[0] !== 4) || !ecc.isPoint(point))
    throw invalid('a public key is not a point of the curve');
  const even = xOnly ? Buffer.concat([Buffer.of(2), point.subarray(1)]) : point;
  return {
    text: `${originText(origin)}${bytes.toString('hex')}`,
    origin,
    ranged: false,
    steps: [],
    extended: false,
    musig: null,
    work: 0,
    publicKeyAt: () => even,
    derivationAt: () => (origin === null ? null : { fingerprint: origin.fingerprint, path: origin.path }),
  };
}

function extendedKey(key: string, stepsText: string, origin: KeyOrigin | null, network: Network): DescriptorKey {
  const { node, text } = parseExtendedPublicKey(key, network);
  if (/^[yzuvYZUV]pub/.test(key)) throw invalid(`descriptors take BIP32's prefixes only; this key is written ${text}`);
  const ranged = stepsText.endsWith('/*');
  if (/\/\*['hH]$/.test(stepsText)) throw invalid('a public key has no hardened children: a wildcard is written /*');
  const steps = parsePath(
    ranged ? stepsText.slice(0, -2) : stepsText,
    'a public key has no hardened children: put hardened steps into the origin',
  );
  if (steps.length > MAX_STEPS) throw invalid(`an extended key has at most ${MAX_STEPS} steps behind it here`);
  let parent: BIP32Interface | null = null;
  /** Derived when first asked for: of most paths of a multipath descriptor the text alone is wanted. */
  const parentKey = (): BIP32Interface => {
    parent ??= steps.reduce((from, step) => from.derive(step), node);
    return parent;
  };
  const root = origin ?? { fingerprint: fingerprintOf(node), path: [] };
  // As a key object it is taken in once, which is most of what an HMAC costs.
  let chainCode: KeyObject | null = null;
  let last: { index: number; key: Uint8Array } | null = null;
  return {
    text: `${originText(origin)}${text}${steps.map((step) => `/${step}`).join('')}${ranged ? '/*' : ''}`,
    origin,
    ranged,
    steps,
    extended: true,
    musig: null,
    work: ranged ? 1 : 0,
    publicKeyAt(index) {
      if (!ranged) return parentKey().publicKey;
      if (last?.index === index) return last.key;
      chainCode ??= createSecretKey(parentKey().chainCode);
      last = { index, key: childKey(parentKey(), chainCode, index) };
      return last.key;
    },
    derivationAt: (index) => ({
      fingerprint: root.fingerprint,
      path: [...root.path, ...steps, ...(ranged ? [index] : [])],
    }),
  };
}

/** BIP32's CKDpub without the chain code, which nobody asks for: bip32's own takes five times as long, most of it for its SHA-512. */
function childKey(parent: BIP32Interface, chainCode: KeyObject, index: number): Uint8Array {
  const step = Buffer.alloc(4);
  step.writeUInt32BE(index);
  const tweak = createHmac('sha512', chainCode).update(parent.publicKey).update(step).digest().subarray(0, 32);
  // Where it is no scalar, or the sum no point (1 in 2^127), bip32 says what is done.
  const key = ecc.isPrivate(tweak) ? ecc.pointAddScalar(parent.publicKey, tweak, true) : null;
  return key ?? parent.derive(index).publicKey;
}

const fingerprintOf = (node: BIP32Interface): string => Buffer.from(node.fingerprint).toString('hex');

/** Steps after a slash each. Throws `invalid_descriptor`; `hardened`: why there can be no hardened ones, null where there can. */
export function parsePath(text: string, hardened: string | null): number[] {
  const steps = text.split('/').slice(1);
  if (steps.length > 255) throw invalid('a derivation path has at most 255 steps');
  return steps.map((step) => {
    const match = /^(\d{1,10})(['hH])?$/.exec(step);
    if (!match) {
      throw invalid(
        step === '*'
          ? 'the wildcard /* is the last step of a key'
          : 'a step of a derivation path is a number, hardened with h',
      );
    }
    const number = Number(match[1]);
    if (number >= HARDENED) throw invalid('a step of a derivation path is below 2147483648');
    if (match[2] !== undefined && hardened !== null) throw invalid(hardened);
    return match[2] === undefined ? number : number + HARDENED;
  });
}

/** `/84h/1h/0h` */
export const pathText = (path: readonly number[]): string =>
  path.map((step) => (step >= HARDENED ? `/${step - HARDENED}h` : `/${step}`)).join('');

const originText = (origin: KeyOrigin | null): string =>
  origin === null ? '' : `[${origin.fingerprint}${pathText(origin.path)}]`;

const invalid = (message: string): DomainError => new DomainError('invalid_descriptor', message);
