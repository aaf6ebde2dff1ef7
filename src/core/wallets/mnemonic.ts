/** BIP39, English word list: words from entropy, and seeds from words. */
import { pbkdf2Sync } from 'node:crypto';
import { entropyToMnemonic, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { DomainError } from '../errors.ts';

const WORD_COUNTS = [12, 15, 18, 21, 24];
const WORDS = new Set(wordlist);

/** Bytes of entropy behind a number of words: 12 words carry 16 bytes, 24 words 32. */
export const entropyBytes = (words: 12 | 15 | 18 | 21 | 24): number => (words / 3) * 4;

/** Words for 16 to 32 bytes of entropy. */
export const mnemonicFromEntropy = (entropy: Uint8Array): string => entropyToMnemonic(entropy, wordlist);

/**
 * The words in their normal form (NFKD, lower case, single spaces). Throws `invalid_mnemonic`, naming a wrong word by its position only:
 * the words are a secret.
 */
export function parseMnemonic(text: string): string {
  const words = text.normalize('NFKD').trim().toLowerCase().split(/\s+/u);
  if (!WORD_COUNTS.includes(words.length)) {
    throw new DomainError('invalid_mnemonic', `a mnemonic has 12, 15, 18, 21 or 24 words, not ${words.length}`);
  }
  const wrong = words.findIndex((word) => !WORDS.has(word));
  if (wrong !== -1) {
    throw new DomainError('invalid_mnemonic', `word ${wrong + 1} of the mnemonic is not in BIP39's English word list`);
  }
  const mnemonic = words.join(' ');
  if (!validateMnemonic(mnemonic, wordlist)) {
    throw new DomainError(
      'invalid_mnemonic',
      "the mnemonic's checksum is wrong: a word is mistyped or two words are swapped",
    );
  }
  return mnemonic;
}

/** The 64-byte seed of a parsed mnemonic: PBKDF2-HMAC-SHA512, 2048 rounds. The caller overwrites it when done. */
export function seedFromMnemonic(mnemonic: string, passphrase = ''): Uint8Array {
  return pbkdf2Sync(mnemonic, `mnemonic${passphrase.normalize('NFKD')}`, 2048, 64, 'sha512');
}
