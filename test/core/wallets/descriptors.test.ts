import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import type { Network } from '../../../src/core/network.ts';
import { withChecksum } from '../../../src/core/wallets/descriptor-checksum.ts';
import { parseDescriptor, splitMultipath } from '../../../src/core/wallets/descriptors.ts';
import { walletModel } from '../../../src/core/wallets/wallet-model.ts';

const XPUB =
  'xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB';
const XPRV =
  'xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U';
const TPUB =
  'tpubDCdxmvzJ5QBjTN8oCjjyT2V58AyZvA1fkmCeZRC75QMoaHcVP2m45Bv3hmnR7ttAwkb2UNYyoXdHVt4gwBqRrJqLUU2JrM43HippxiWpHra';
const KEY_A = '0252972572d465d016d4c501887b8df303eee3ed602c056b1eb09260dfa0da0ab2';
const ORIGIN = '[d34db33f/84h/1h/0h]';

function refusal(text: string, network: Network = 'regtest'): DomainError {
  try {
    parseDescriptor(text, network);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

describe('descriptors of watch-only wallets', () => {
  it('splits multipath (BIP389) into receiving and change', () => {
    const parsed = parseDescriptor(`wpkh(${ORIGIN}${TPUB}/<0;1>/*)`, 'regtest');
    expect(parsed).toEqual({
      external: withChecksum(`wpkh(${ORIGIN}${TPUB}/0/*)`),
      internal: withChecksum(`wpkh(${ORIGIN}${TPUB}/1/*)`),
      ranged: true,
      fingerprint: 'd34db33f',
    });
    expect(splitMultipath('wsh(sortedmulti(1,A/<2;3>/*,B/<4;5>/*))')).toEqual([
      'wsh(sortedmulti(1,A/2/*,B/4/*))',
      'wsh(sortedmulti(1,A/3/*,B/5/*))',
    ]);
  });

  it('takes a descriptor with one path, with and without checksum', () => {
    const bare = `tr(${TPUB}/9/*)`;
    const parsed = parseDescriptor(bare, 'signet');
    expect(parsed).toMatchObject({ internal: null, ranged: true, fingerprint: null });
    expect(parseDescriptor(withChecksum(bare), 'signet')).toEqual(parsed);
    expect(refusal(`${bare}#00000000`).message).toContain(withChecksum(bare).slice(-9));
  });

  it.each([
    `pkh(${TPUB}/<0;1>/*)`,
    `sh(wpkh(${TPUB}/<0;1>/*))`,
    `wsh(pkh(${TPUB}/<0;1>/*))`,
    `wsh(sortedmulti(2,${ORIGIN}${TPUB}/<0;1>/*,${KEY_A}))`,
    `sh(wsh(sortedmulti(1,${TPUB}/<0;1>/*,${KEY_A})))`,
    `sh(sortedmulti(1,${TPUB}/<0;1>/*,${KEY_A}))`,
    `wsh(and_v(v:pk(${TPUB}/<0;1>/*),older(144)))`,
    `wsh(andor(pk(${TPUB}/<0;1>/*),older(10),pk(${KEY_A})))`,
    `wsh(and_v(v:pk(${TPUB}/<0;1>/*),sha256(6c60f404f8167a38fc70eaf8aa17ac351023bef86bcb9d1086a19afe95bd5333)))`,
    `tr(${TPUB}/<0;1>/*,pk(${KEY_A.slice(2)}))`,
    `tr(${KEY_A.slice(2)},{pk(${TPUB}/<0;1>/*),multi_a(1,${KEY_A.slice(2)})})`,
    `tr(musig(${KEY_A},${TPUB}/<0;1>/*))`,
    `tr(musig(${ORIGIN}${TPUB},${TPUB}/7)/<0;1>/*)`,
    `rawtr(musig(${ORIGIN}${TPUB},${TPUB}/7)/<0;1>/*)`,
  ])('derives receiving and change scripts of %s', (text) => {
    const parsed = parseDescriptor(text, 'regtest');
    const model = walletModel(parsed, 'regtest');
    const scripts = [model.scriptAt(false, 0), model.scriptAt(false, 1), model.scriptAt(true, 0)];
    expect(new Set(scripts.map((script) => script.scriptPubKey)).size).toBe(3);
    expect(model.inputWeight).toBeGreaterThan(164);
  });

  it('takes fixed descriptors: a key, an address', () => {
    const key = parseDescriptor(`wpkh(${KEY_A})`, 'mainnet');
    expect(key).toMatchObject({ ranged: false, internal: null });
    const watched = parseDescriptor('addr(bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu)', 'mainnet');
    expect(watched.ranged).toBe(false);
    expect(walletModel(watched, 'mainnet').scriptAt(false, 0).scriptPubKey).toBe(
      '0014c0cebcd6c3d3ca8c75dc5ec62ebe55330ef910e2',
    );
    const toScriptHash = parseDescriptor('addr(2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2)', 'regtest');
    expect(walletModel(toScriptHash, 'regtest').scriptAt(false, 0).address).toBe('2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2');
  });

  it.each([
    [`combo(${TPUB}/*)`, 'unsupported', 'combo()'],
    ['raw(0014c0cebcd6c3d3ca8c75dc5ec62ebe55330ef910e2)', 'unsupported', 'raw()'],
    [`rawtr(${KEY_A.slice(2)})`, 'unsupported', 'rawtr()'],
    [`wsh(pk(musig(${KEY_A},${TPUB}/*)))`, 'invalid_descriptor', 'musig()'],
    [`pk(${KEY_A})`, 'unsupported', 'no address'],
    [`multi(1,${KEY_A})`, 'unsupported', 'no address'],
    [`wpkh(${TPUB}/<0;1;2>/*)`, 'invalid_descriptor', 'exactly two'],
    [`wpkh(${TPUB}/<0;0>/*)`, 'invalid_descriptor', 'exactly two'],
    [`wpkh(${TPUB}/<0h;1h>/*)`, 'invalid_descriptor', 'hardened'],
    [`wpkh(${TPUB}/<0;1>/<2;3>/*)`, 'invalid_descriptor', 'multipath'],
    [`wpkh(${TPUB}/**)`, 'invalid_descriptor', 'BIP389'],
    [`wpkh(${TPUB}/0h/*)`, 'invalid_descriptor', 'hardened'],
    [`wpkh(${TPUB}/*h)`, 'invalid_descriptor', 'hardened'],
    [`wpkh(${TPUB}/*/0)`, 'invalid_descriptor', 'last step'],
    [`wpkh(${TPUB.slice(0, -1)}b/*)`, 'invalid_descriptor', 'mistyped'],
    [`wpkh(${TPUB}/*))`, 'invalid_descriptor', ''],
    [`sh(wpkh(${TPUB}/*)`, 'invalid_descriptor', ''],
    [`wpkh(04${'ab'.repeat(64)})`, 'invalid_descriptor', ''],
    [`wsh(pk(${KEY_A})`, 'invalid_descriptor', ''],
    [`wsh(or_b(pk(${KEY_A}),pk(${KEY_A})))`, 'invalid_descriptor', ''],
    [`wsh(sortedmulti(3,${TPUB}/0/*,${KEY_A}))`, 'invalid_descriptor', ''],
    [`wpkh(${XPUB}/*)`, 'wrong_network', 'regtest'],
    [`wsh(sortedmulti(1,${TPUB}/*,${XPUB}/*))`, 'wrong_network', 'mainnet key'],
    ['addr(bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu)', 'wrong_network', 'mainnet'],
    ['abandon abandon abandon', 'invalid_descriptor', 'script expression'],
    ['', 'invalid_descriptor', 'script expression'],
  ])('refuses %s', (text, code, reason) => {
    const error = refusal(text);
    expect(error.code).toBe(code);
    expect(error.message).toContain(reason);
  });

  it.each([
    `wpkh(${XPRV}/0/*)`,
    `wsh(sortedmulti(1,${TPUB}/*,[d34db33f]${XPRV}/*))`,
    'wpkh(cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW)',
    'pkh(5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss)',
    XPRV,
  ])('refuses private keys without repeating them', (text) => {
    const error = refusal(text, 'mainnet');
    expect(error.code).toBe('invalid_descriptor');
    expect(error.message).not.toMatch(/[1-9A-HJ-NP-Za-km-z]{12,}/);
  });

  it("names BIP32's form of a SLIP132 key", () => {
    const zpub =
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
    expect(refusal(`wpkh(${zpub}/*)`, 'mainnet').message).toContain(
      'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V',
    );
  });

  it('refuses a key that is no point of the curve', () => {
    expect(refusal(`wpkh(02${'00'.repeat(32)})`).code).toBe('invalid_descriptor');
  });
});
