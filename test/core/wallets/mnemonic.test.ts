import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { bip32 } from '../../../src/core/wallets/hd-key.ts';
import {
  entropyBytes,
  mnemonicFromEntropy,
  parseMnemonic,
  seedFromMnemonic,
} from '../../../src/core/wallets/mnemonic.ts';

const ABANDON = `${'abandon '.repeat(11)}about`;

describe('BIP39', () => {
  // The reference vectors (passphrase TREZOR): entropy, words, seed, BIP32 master key.
  it.each([
    [
      '00000000000000000000000000000000',
      ABANDON,
      'c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04',
      'xprv9s21ZrQH143K3h3fDYiay8mocZ3afhfULfb5GX8kCBdno77K4HiA15Tg23wpbeF1pLfs1c5SPmYHrEpTuuRhxMwvKDwqdKiGJS9XFKzUsAF',
    ],
    [
      '7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f',
      'legal winner thank year wave sausage worth useful legal winner thank yellow',
      '2e8905819b8723fe2c1d161860e5ee1830318dbf49a83bd451cfb8440c28bd6fa457fe1296106559a3c80937a1c1069be3a3a5bd381ee6260e8d9739fce1f607',
      'xprv9s21ZrQH143K2gA81bYFHqU68xz1cX2APaSq5tt6MFSLeXnCKV1RVUJt9FWNTbrrryem4ZckN8k4Ls1H6nwdvDTvnV7zEXs2HgPezuVccsq',
    ],
    [
      '0000000000000000000000000000000000000000000000000000000000000000',
      `${'abandon '.repeat(23)}art`,
      'bda85446c68413707090a52022edd26a1c9462295029f2e60cd7c4f2bbd3097170af7a4d73245cafa9c3cca8d561a7c3de6f5d4a10be8ed2a5e608d68f92fcc8',
      'xprv9s21ZrQH143K32qBagUJAMU2LsHg3ka7jqMcV98Y7gVeVyNStwYS3U7yVVoDZ4btbRNf4h6ibWpY22iRmXq35qgLs79f312g2kj5539ebPM',
    ],
  ])('turns entropy %s into words and seed', (entropy, words, seed, master) => {
    expect(mnemonicFromEntropy(Buffer.from(entropy, 'hex'))).toBe(words);
    const derived = seedFromMnemonic(parseMnemonic(words), 'TREZOR');
    expect(Buffer.from(derived).toString('hex')).toBe(seed);
    expect(bip32.fromSeed(derived).toBase58()).toBe(master);
  });

  it.each([12, 15, 18, 21, 24] as const)('makes and reads back %i words', (words) => {
    const mnemonic = mnemonicFromEntropy(new Uint8Array(entropyBytes(words)).fill(0xa5));
    expect(mnemonic.split(' ')).toHaveLength(words);
    expect(parseMnemonic(`  ${mnemonic.toUpperCase().replaceAll(' ', '\n ')} `)).toBe(mnemonic);
  });

  it('normalizes the passphrase (NFKD)', () => {
    const composed = seedFromMnemonic(ABANDON, '\u00e9');
    expect(Buffer.from(seedFromMnemonic(ABANDON, 'e\u0301'))).toEqual(Buffer.from(composed));
  });

  it.each([
    ['abandon '.repeat(13), '12, 15, 18, 21 or 24 words, not 13'],
    [`${'abandon '.repeat(11)}abandon`, 'checksum'],
    [`abandon secretword ${'abandon '.repeat(9)}about`, 'word 2'],
    ['', 'words'],
  ])('refuses %j without repeating it', (text, reason) => {
    const refusal = catchDomainError(() => parseMnemonic(text));
    expect(refusal.code).toBe('invalid_mnemonic');
    expect(refusal.message).toContain(reason);
    expect(refusal.message).not.toMatch(/abandon|secretword/);
  });
});

function catchDomainError(run: () => unknown): DomainError {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error;
  }
  throw new Error('nothing was refused');
}
