/** What is exported says the same as the wallet's descriptors: it is read back here by the formats' rules. */
import { describe, expect, it } from 'vitest';
import { parseDescriptor } from '../../../src/core/wallets/descriptors.ts';
import { bsmsRecord } from '../../../src/core/wallets/exports/bsms-record.ts';
import { coldcardFile } from '../../../src/core/wallets/exports/coldcard-file.ts';
import { coreImport } from '../../../src/core/wallets/exports/core-import.ts';
import { combinedDescriptor } from '../../../src/core/wallets/exports/key-expressions.ts';
import { walletPolicy } from '../../../src/core/wallets/exports/wallet-policy.ts';
import { cosigner } from '../../builders/cosigner.ts';

const [alice, bob] = [cosigner('alice'), cosigner('bob')];
const multisig = (inner = 'wsh(sortedmulti(2,A/<0;1>/*,B/<0;1>/*))') =>
  inner.replaceAll(/\b[AB]\b/g, (name) => (name === 'A' ? alice : bob).multisigKey);
const parse = (text: string) => parseDescriptor(text, 'regtest');
const withH = (text: string) => text.replaceAll("'", 'h');

describe('a wallet policy (BIP388)', () => {
  it.each([
    ['wpkh(A/<0;1>/*)', 'wpkh(@0/**)'],
    ['tr(A/<0;1>/*)', 'tr(@0/**)'],
    ['sh(wpkh(A/<0;1>/*))', 'sh(wpkh(@0/**))'],
    ['wsh(sortedmulti(2,A/<0;1>/*,B/<0;1>/*))', 'wsh(sortedmulti(2,@0/**,@1/**))'],
    [
      'wsh(or_d(pk(A/<0;1>/*),and_v(v:pk(B/<2;3>/*),older(144))))',
      'wsh(or_d(pk(@0/**),and_v(v:pk(@1/<2;3>/*),older(144))))',
    ],
    ['tr(musig(A,B)/<0;1>/*)', 'tr(musig(@0,@1)/**)'],
    ['tr(musig(A,B)/<0;1>/*,pk(A/<2;3>/*))', 'tr(musig(@0,@1)/**,pk(@0/<2;3>/*))'],
    // One key in two places, each with branches of its own.
    ['tr(A/<0;1>/*,{pk(B/<0;1>/*),pk(A/<2;3>/*)})', 'tr(@0/**,{pk(@1/**),pk(@0/<2;3>/*)})'],
  ])('of %s leads back to its descriptors', (inner, template) => {
    const parsed = parse(multisig(inner));
    const policy = walletPolicy('Treasury', parsed);
    expect(policy.descriptorTemplate).toBe(template);
    const again = policy.descriptorTemplate
      .replaceAll('/**', '/<0;1>/*')
      .replaceAll(/@(\d+)/g, (_, index: string) => policy.keys[Number(index)]!);
    expect(parse(withH(again))).toEqual(parsed);
    expect(policy.keys.every((key) => key.includes("48'/1'/0'/2'"))).toBe(true);
    expect(new Set(policy.keys).size).toBe(policy.keys.length);
  });

  it('has no internal key but an extended one', () => {
    const nobody =
      'tr(50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0,sortedmulti_a(1,A/<0;1>/*,B/<0;1>/*))';
    expect(() => walletPolicy('x', parse(multisig(nobody)))).toThrow(/internal key/);
    expect(combinedDescriptor(parse(multisig(nobody)))).toMatch(/^tr\(50929b74/);
  });

  it('has a name that devices can show', () => {
    const name = (text: string) => walletPolicy(text, parse(multisig())).name;
    expect(name('Kasse für Müller')).toBe('Kasse fur Muller');
    expect(name('金庫')).toBe('Wallet');
    expect(name('n'.repeat(100))).toHaveLength(64);
  });
});

describe('a descriptor record (BIP129)', () => {
  it('has version, template, path restrictions and the first address', () => {
    const [version, template, restrictions, address, ...more] = bsmsRecord(parse(multisig()), 'bcrt1qfirst').split(
      '\n',
    );
    expect([version, restrictions, address, more]).toEqual(['BSMS 1.0', '/0/*,/1/*', 'bcrt1qfirst', []]);
    const [receiving, change] = restrictions!.split(',');
    const at = (path: string) => withH(template!).replaceAll('/**', path);
    expect(parse(at(receiving!)).external).toBe(parse(multisig()).external);
    expect(parse(at(change!)).external).toBe(parse(multisig()).internal);
  });

  it('is not for a single key, nor for keys whose paths differ', () => {
    for (const inner of ['wpkh(A/<0;1>/*)', 'wsh(sortedmulti(1,A/<0;1>/*,B/<2;3>/*))']) {
      expect(() => bsmsRecord(parse(multisig(inner)), 'x')).toThrow(
        expect.objectContaining({ code: 'not_representable' }),
      );
    }
  });
});

it("Coldcard's file names policy, script form and every key with its path", () => {
  expect(coldcardFile('The treasury of us all', parse(multisig())).split('\n')).toEqual([
    '# Multisig setup file',
    'Name: The treasury of us a',
    'Policy: 2 of 2',
    'Format: P2WSH',
    '',
    ...[alice, bob].flatMap(({ fingerprint, multisigKey }) => [
      "Derivation: m/48'/1'/0'/2'",
      `${fingerprint.toUpperCase()}: ${multisigKey.replace(/^\[[^\]]*\]/, '')}`,
      '',
    ]),
  ]);
  const forms = ['sh(sortedmulti(1,A/<0;1>/*,B/<0;1>/*))', 'sh(wsh(sortedmulti(1,A/<0;1>/*,B/<0;1>/*)))'];
  expect(forms.map((inner) => /Format: (.*)/.exec(coldcardFile('x', parse(multisig(inner))))?.[1])).toEqual([
    'P2SH',
    'P2SH-P2WSH',
  ]);
  const bare = alice.multisigKey.replace(/^\[[^\]]*\]/, '');
  for (const inner of [
    'wsh(multi(1,A/<0;1>/*,B/<0;1>/*))',
    'wpkh(A/<0;1>/*)',
    `wsh(sortedmulti(1,${bare}/<0;1>/*,B/<0;1>/*))`,
  ]) {
    expect(() => coldcardFile('x', parse(multisig(inner)))).toThrow(
      expect.objectContaining({ code: 'not_representable' }),
    );
  }
});

it('one descriptor for both branches (BIP389), or the only one', () => {
  for (const parsed of [parse(multisig()), parse(multisig('tr(musig(A,B)/<0;1>/*)'))])
    expect(parse(combinedDescriptor(parsed))).toEqual(parsed);
  const single = parse(multisig('wpkh(A/0/*)'));
  expect(combinedDescriptor(single)).toBe(single.external);
  expect(() => walletPolicy('x', single)).toThrow(/no change branch/);
  expect(() => walletPolicy('x', { external: 'wpkh(A/0/*)', internal: 'tr(A/1/*)' })).toThrow(/differ/);
});

it("what Bitcoin Core's importdescriptors takes", () => {
  const parsed = parse(multisig());
  const facts = { ranged: true, timestamp: 1_700_000_000, nextExternal: 7, nextInternal: 2 };
  expect(JSON.parse(coreImport(parsed, facts))).toEqual([
    { desc: parsed.external, active: true, internal: false, timestamp: 1_700_000_000, range: [0, 1006], next_index: 7 },
    { desc: parsed.internal, active: true, internal: true, timestamp: 1_700_000_000, range: [0, 1001], next_index: 2 },
  ]);
  expect(JSON.parse(coreImport({ external: 'addr(x)#y', internal: null }, { ...facts, ranged: false }))).toEqual([
    { desc: 'addr(x)#y', timestamp: 1_700_000_000 },
  ]);
});
