/** The descriptors that each wallet type stands for, with origin and checksum. */
import { NUMS_POINT } from '../descriptors/satisfaction-weight.ts';
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { withChecksum } from './descriptor-checksum.ts';
import { parseKeyExpression, type SingleKeyType } from './extended-key.ts';

export interface DescriptorPair {
  readonly external: string;
  readonly internal: string;
}

const FORMS: Record<SingleKeyType, (key: string) => string> = {
  segwit: (key) => `wpkh(${key})`,
  taproot: (key) => `tr(${key})`,
  'nested-segwit': (key) => `sh(wpkh(${key}))`,
  legacy: (key) => `pkh(${key})`,
};

/** BIP84, BIP86, BIP49 or BIP44 over an account key: `account` is `[fingerprint/84h/1h/0h]tpub…`. */
export function singleKeyDescriptors(type: SingleKeyType, account: string): DescriptorPair {
  const branch = (step: 0 | 1) => withChecksum(FORMS[type](`${account}/${step}/*`));
  return { external: branch(0), internal: branch(1) };
}

const MAX_MULTISIG_KEYS = 20;

/**
 * segwit: wsh(sortedmulti()). taproot: tr() with sortedmulti_a() as its only leaf, under a key that nobody has. musig: tr(musig()), the key
 * that all of them sign under together.
 */
export const MULTISIG_SCRIPTS = ['segwit', 'taproot', 'musig'] as const;
export type MultisigScript = (typeof MULTISIG_SCRIPTS)[number];

type MultisigForm = (required: number, keys: readonly string[], step: 0 | 1) => string;

const derived = (keys: readonly string[], step: 0 | 1): string => keys.map((key) => `${key}/${step}/*`).join(',');
const MULTISIG_FORMS: Record<MultisigScript, MultisigForm> = {
  segwit: (required, keys, step) => `wsh(sortedmulti(${required},${derived(keys, step)}))`,
  taproot: (required, keys, step) => `tr(${NUMS_POINT},sortedmulti_a(${required},${derived(keys, step)}))`,
  musig: (_required, keys, step) => `tr(musig(${keys.join(',')})/${step}/*)`,
};

/**
 * The descriptors of a wallet that `required` of the keys spend from: every key, or their aggregate (BIP328), with /0/* for receiving and
 * /1/* for change (BIP48, BIP87). Throws `invalid_value` of `required` or `cosigners`.
 */
export function multisigDescriptors(
  required: number,
  keys: readonly string[],
  script: MultisigScript = 'segwit',
): DescriptorPair {
  if (keys.length > MAX_MULTISIG_KEYS) {
    throw new DomainError(
      'invalid_value',
      `a multisig wallet has at most ${MAX_MULTISIG_KEYS} keys, not ${keys.length}`,
      {
        field: 'cosigners',
      },
    );
  }
  if (script === 'musig' && required !== keys.length)
    throw new DomainError(
      'invalid_value',
      `all keys of a MuSig2 wallet sign, and there are ${keys.length}: leave required out, or take script_type taproot`,
      { field: 'required' },
    );
  if (required < 1 || required > keys.length) {
    throw new DomainError(
      'invalid_value',
      `required must be between 1 and the number of keys, which is ${keys.length}`,
      {
        field: 'required',
      },
    );
  }
  const branch = (step: 0 | 1) => withChecksum(MULTISIG_FORMS[script](required, keys, step));
  return { external: branch(0), internal: branch(1) };
}

/** Cosigners' key expressions in their normal form. Throws naming `cosigners[i]`: malformed, wrong network, given twice. */
export function cosignerKeys(expressions: readonly string[], network: Network, own: string | null): string[] {
  const seen = new Set<string>(own === null ? [] : [own.replace(/^\[[^\]]*\]/, '')]);
  return expressions.map((expression, position) => {
    const field = `cosigners[${position}]`;
    try {
      const key = parseKeyExpression(expression, network);
      if (key.purpose !== null && key.purpose !== 'multisig') {
        throw new DomainError(
          'invalid_descriptor',
          'the key is marked (SLIP132) for single-key use; give its xpub or tpub form',
        );
      }
      if (seen.has(key.text)) throw new DomainError('invalid_value', 'the same key is there twice');
      seen.add(key.text);
      return `${key.origin}${key.text}`;
    } catch (error) {
      throw error instanceof DomainError ? error.at(field) : error;
    }
  });
}
