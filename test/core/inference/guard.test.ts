/** Secrets are found in every encoding of the list and whatever the pieces; what a Bitcoin engineer sends besides passes. */
import { generateKeyPairSync } from 'node:crypto';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist as english } from '@scure/bip39/wordlists/english.js';
import { wordlist as french } from '@scure/bip39/wordlists/french.js';
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese.js';
import { wordlist as korean } from '@scure/bip39/wordlists/korean.js';
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js';
import { wordlist as chinese } from '@scure/bip39/wordlists/traditional-chinese.js';
import { BIP32Factory } from 'bip32';
import { networks, payments } from 'bitcoinjs-lib';
import { ECPairFactory } from 'ecpair';
import fc from 'fast-check';
import * as ecc from 'tiny-secp256k1';
import { describe, expect, it } from 'vitest';
import { findSecrets } from '../../../src/core/inference/guard/find-secrets.ts';
import { createHoldback } from '../../../src/core/inference/guard/holdback.ts';
import { redact as redactAt } from '../../../src/core/inference/guard/place.ts';

const redact = (text: string) => redactAt(text, findSecrets(text));
const bytes = (size: number, fill: number) =>
  Uint8Array.from({ length: size }, (_, i) => (i * 37 + fill * 91 + 13) & 255);
const pair = (fill: number, options: object = {}) => ECPairFactory(ecc).fromPrivateKey(bytes(32, fill), options);
const phrase = (size: number, list = english) => entropyToMnemonic(bytes(size, size), list);
const { d, ...jwk } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const random43 = 'q7RkT2mVx9LdPz4HsNwYb6JcGf3Ea8UoKi5MtXhSvQe';

const SECRETS: Readonly<Record<string, string>> = {
  wif: pair(1).toWIF(),
  'wif uncompressed': pair(2, { compressed: false }).toWIF(),
  'wif testnet': pair(3, { network: networks.testnet }).toWIF(),
  xprv: BIP32Factory(ecc).fromSeed(bytes(32, 4)).toBase58(),
  tprv: BIP32Factory(ecc).fromSeed(bytes(32, 5), networks.regtest).toBase58(),
  nsec: 'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5',
  '12 words': phrase(16),
  '15 words': phrase(20),
  '24 words': phrase(32),
  'french words': phrase(16, french),
  'spanish words': phrase(32, spanish),
  'hex key': `private key: ${Buffer.from(bytes(32, 6)).toString('hex')}`,
  'API key': `ak_Zk81mQxT_${random43}`,
  'refresh token': `rt_${random43}`,
  'client secret': `cs_${random43}`,
  webhook: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  jwt: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c3JfMSJ9.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg',
  jwk: JSON.stringify({ ...jwk, d }),
  pem: generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  totp: 'otpauth://totp/Ashlar:ada?secret=JBSWY3DPEHPK3PXP',
  card: '4111111111111111',
  amex: '378282246310005',
};
const b64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');
const each = (text: string, by: (code: number) => string) =>
  [...text].map((c) => by(c.codePointAt(0) as number)).join('');
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'as is': (text) => text,
  JSON: (text) => JSON.stringify({ content: text }),
  'JSON \\u': (text) => each(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
  percent: (text) => encodeURIComponent(text),
  'percent, all': (text) => hex(text).replace(/../g, '%$&'),
  entities: (text) => each(text, (code) => `&#${code};`),
  'entities in hex': (text) => each(text, (code) => `&#x${code.toString(16)};`),
  Base64: b64,
  'Base64 of a sentence': (text) => b64(`keep this for me please: ${text} thanks`),
  Base64url: (text) => Buffer.from(`{"a":"${text}"}`).toString('base64url'),
  'Base64 twice': (text) => b64(b64(text)),
  hex,
  'hex by bytes': (text) => hex(text).replace(/..(?=.)/g, '$& '),
  'zero-width': (text) => [...text].join('\u200b'),
  'full width': (text) => each(text, (code) => String.fromCharCode(code > 32 && code < 127 ? code + 0xfee0 : code)),
};
/** With separators between characters, where a secret's form is fixed. */
const SPREAD: Readonly<Record<string, (text: string) => string>> = {
  blanks: (text) => [...text].join(' '),
  hyphens: (text) => [...text].join('-'),
  lines: (text) => text.replace(/.{10}/g, '$&\n'),
};
const WORDS: Readonly<Record<string, (text: string) => string>> = {
  lines: (text) => text.replaceAll(' ', '\n'),
  commas: (text) => text.replaceAll(' ', ', '),
  numbers: (text) =>
    text
      .split(' ')
      .map((word, i) => `${i + 1}. ${word}`)
      .join('\n'),
  JSON: (text) => JSON.stringify(text.split(' ')),
  'upper case': (text) => text.toUpperCase(),
  Cyrillic: (text) => text.replaceAll('a', 'а').replaceAll('e', 'е').replaceAll('o', 'о'),
};
const named = (name: string) => SECRETS[name] as string;
const attempts = [
  ...Object.entries(SECRETS).flatMap(([kind, secret]) =>
    Object.entries(ENCODINGS).map(([how, encode]) => [kind, how, secret, encode(secret)] as const),
  ),
  ...['wif', 'wif testnet', 'xprv', 'nsec', 'API key', 'card'].flatMap((kind) =>
    Object.entries(SPREAD)
      .filter(([how]) => kind !== 'card' || how !== 'lines')
      .map(([how, spread]) => [kind, how, named(kind), spread(named(kind))] as const),
  ),
  ...['12 words', '24 words', 'french words'].flatMap((kind) =>
    Object.entries(WORDS).map(([how, write]) => [kind, how, named(kind), write(named(kind))] as const),
  ),
  ...Object.entries({ japanese, korean, chinese }).map(
    ([kind, list]) => [kind, 'as is', phrase(16, list), phrase(16, list)] as const,
  ),
  [
    'spanish words',
    'without accents',
    named('spanish words'),
    named('spanish words').normalize('NFD').replace(/\p{M}/gu, ''),
  ] as const,
];

/** Nothing of a secret that would help is left: no three characters in a row of what it is encoded to. */
const isLeft = (text: string, leaked: string): boolean => {
  for (let i = 0; i + 12 <= leaked.length; i++) if (text.includes(leaked.slice(i, i + 12))) return true;
  return false;
};

describe('secrets', () => {
  it(`are found in ${attempts.length} attempts to send them`, () => {
    expect(attempts.length).toBeGreaterThan(200);
    const missed = attempts.filter(([, , , sent]) => findSecrets(`Please help: ${sent} \nthe end`).length === 0);
    expect(missed.map(([kind, how]) => `${kind}: ${how}`)).toEqual([]);
  });

  it('are taken out whole', () => {
    for (const [kind, how, , sent] of attempts) {
      if (
        ['JSON', 'jwk', 'hex key', 'Base64 of a sentence', 'Base64url', 'JSON in JSON'].some((one) =>
          [kind, how].includes(one),
        )
      )
        continue;
      const left = redact(sent).replace(/\[redacted: [^\]]*\]/g, '');
      expect([kind, how, left.length > 24 && isLeft(left, sent)]).toEqual([kind, how, false]);
    }
  });
});

const key = bytes(32, 9);
const txid = Buffer.from(key).toString('hex');
const xpub = BIP32Factory(ecc).fromSeed(bytes(32, 7)).neutered().toBase58();
const pubkey = Buffer.from(pair(8).publicKey);
const psbt = Buffer.concat([
  Buffer.from('70736274ff', 'hex'),
  ...Array.from({ length: 12 }, (_, i) => bytes(61, i)),
]).toString('base64');
const PASSING: readonly string[] = [
  `Why is ${txid} unconfirmed? Its parent is ${txid.toUpperCase()}.`,
  `txid: ${txid}\nvout: 0\namount: 2100000000000000 sats, fee 4000 sat, 4111111111111 sats`,
  `block 000000000000000000024bead8df69990852c202db0e0097c1a12ea637d7e96d at height 683577, merkle root ${txid}`,
  `${xpub} derives ${payments.p2wpkh({ pubkey }).address} and ${payments.p2pkh({ pubkey }).address}`,
  `wsh(sortedmulti(2,[d34db33f/48h/0h/0h/2h]${xpub}/0/*,${pubkey.toString('hex')}))#8zl0zxma`,
  `cHNidP8B is how this begins: ${psbt}`,
  `the public key ${pubkey.toString('hex')} and its x-only form ${pubkey.subarray(1).toString('hex')}`,
  `hash of the secret: ${txid}; payment hash = ${txid}, the preimage stays with me`,
  `HTLC with sha256(secret hash) ${txid} after 144 blocks`,
  'request 550e8400-e29b-41d4-a716-446655440000 answered 503 at 2026-11-28T15:19:28.123456Z (1795879168123456)',
  'const words = mnemonic.split(" "); if (words.length !== 12) throw new Error("a phrase has 12 words");',
  'private_key = os.environ["PRIVATE_KEY"]  # never in the source\nseed = secrets.token_bytes(32)',
  'bitcoin-cli -regtest dumpprivkey bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  `curl -H "Authorization: Bearer $API_KEY" https://localhost:3000/v1/wallets/wal_0123456789ABCDEFGHIJkl`,
  `02000000000101${txid}0000000000fdffffff0122020000000000001600147${pubkey.toString('hex')}00000000`,
  Array.from({ length: 40 }, (_, i) => `${1000 + i * 7} ${2000 + i * 13} ${4000 + i * 3} ${5100 + i}`).join('\n'),
  Array.from({ length: 60 }, (_, i) => `${i} ${(i * 7) % 10}`).join(' '),
  '0.4111111111111111, 3.5500000000000004 and 4.012888888881881 are floats',
  'What will the fee be when I bump this, and can you say which coin is the one that they use here, as much as you can?',
  english.join('\n'),
  `export const wordlist = ${JSON.stringify(english)};`,
  'The API key begins with ak_ and eight characters; reset tokens with pr_, refresh tokens with rt_, secrets of clients with cs_ and 43 more.',
  'Test Alice pays Bob 0.5 BTC, Bob closes at the oracle price of 64,111.11 USD; CET 12 of 24; 5 of 9 sign 1.1.',
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----',
  JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: jwk.x, kid: 'd', use: 'sig' }),
  'nsec1 is how NIP-19 begins a private key, xprv how BIP32 does, K or L how WIF does: KwDiBf89QgGbjEhKnhXJuH7LrciVrjNZ',
  Buffer.from(
    `invoice 17 for the hosting of the node in November, 120 EUR, to be paid by the end of the month`,
  ).toString('base64'),
];

describe('what a Bitcoin engineer sends', () => {
  it('passes', () => {
    const found = PASSING.flatMap((text) =>
      findSecrets(text).map(({ start, end, kind }) => `${kind}: ${text.slice(start, end)}`),
    );
    expect(found).toEqual([]);
  });

  it('passes at random: hashes, Base64, numbers and prose', () => {
    const word = fc.oneof(
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((b) => Buffer.from(b).toString('hex')),
      fc.uint8Array({ minLength: 20, maxLength: 200 }).map((b) => Buffer.from(b).toString('base64')),
      fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }).map(String),
      fc.constantFrom(
        ...'the fee of this transaction is paid by its child and that confirms in a block about now'.split(' '),
      ),
      fc.uuid(),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (all) => {
        expect(findSecrets(all.join(' '))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

const inPieces = (text: string, cuts: readonly number[], manner: { json?: boolean } = {}) => {
  const holdback = createHoldback(manner);
  let [out, at, held] = ['', 0, 0];
  for (const to of [...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b)) {
    out += holdback.push(text.slice(at, to));
    at = to;
    if (manner.json !== true && !out.includes('[redacted')) held = Math.max(held, to - out.length);
  }
  return {
    out: out + holdback.end(),
    held,
    whole: (() => {
      const one = createHoldback(manner);
      return one.push(text) + one.end();
    })(),
  };
};

describe('a stream', () => {
  const pieceOfText = fc.oneof(
    fc.constantFrom(...attempts.map(([, , , sent]) => sent)),
    fc.constantFrom(...PASSING.map((text) => text.slice(0, 400))),
    fc.constantFrom(' ', '\n', '. ', '\\', '%', '&#', '"', ' the ', 'zoo ', 'K', 'ab', '4111 ', '\u200b', '😀', 'eyJ'),
    fc.string({ maxLength: 12, unit: 'binary' }),
  );
  const text = fc.array(pieceOfText, { maxLength: 5 }).map((all) => all.join(''));
  const cuts = fc.array(fc.nat(5_000), { maxLength: 40 });

  it('in any pieces is what it is in one, and that is the text redacted', () => {
    fc.assert(
      fc.property(text, cuts, (whole, at) => {
        const { out, whole: once } = inPieces(whole, at);
        expect(out).toBe(once);
        expect(out).toBe(redact(whole));
      }),
      { numRuns: 100 },
    );
  });

  it('shows nothing of any of the attempts, character by character', () => {
    for (const [kind, how, , sent] of attempts) {
      const { out } = inPieces(
        `so: ${sent} \nthe end`,
        Array.from({ length: sent.length + 8 }, (_, i) => i),
      );
      expect([kind, how, out]).toEqual([kind, how, redact(`so: ${sent} \nthe end`)]);
    }
  });

  it('holds back a word or two of prose, and a bounded end of anything', () => {
    const prose =
      'The fee is raised by replacing the transaction: ask for a bump, and say which rate you want to pay. '.repeat(5);
    const letters = Array.from({ length: prose.length }, (_, i) => i);
    expect(inPieces(prose, letters).held).toBeLessThan(32);
    for (const endless of [
      'K',
      'Kw',
      'ab',
      'zoo ',
      'xprv',
      'a\u200b',
      '1 ',
      '4111 ',
      'eyJ',
      'f',
      'QUJD',
      '%4',
      '\\u00',
      '\u200b',
    ]) {
      const { out, held } = inPieces(
        endless.repeat(400),
        Array.from({ length: 1_600 }, (_, i) => i),
      );
      expect(out).toBe(redact(endless.repeat(400)));
      expect([endless, held]).toEqual([endless, Math.min(held, 1_200)]);
    }
  });

  it('of JSON stays JSON', () => {
    const value = fc.oneof(
      fc.constantFrom(...Object.values(SECRETS), 'zoo', 'a "quoted" \\ text'),
      fc.constantFrom(4111111111111111, -4111111111111111, 1, null, true),
    );
    const json = fc.oneof(
      fc.dictionary(fc.constantFrom('a', 'key', named('12 words'), named('wif')), value),
      fc.array(value),
      fc.constant(phrase(16).split(' ')),
      fc.constant(Object.fromEntries(english.slice(0, 40).map((word, i) => [word, english[i * 37]]))),
    );
    fc.assert(
      fc.property(json, cuts, fc.boolean(), (sent, at, pretty) => {
        const { out, whole } = inPieces(JSON.stringify(sent, null, pretty ? 2 : 0), at, { json: true });
        expect(out).toBe(whole);
        expect(() => JSON.parse(out)).not.toThrow();
      }),
      { numRuns: 100 },
    );
  });

  it('of beginnings alone takes time by their number', () => {
    const took = (times: number): number => {
      const text = '-----BEGIN PRIVATE KEY-----\n'.repeat(times);
      const before = process.cpuUsage();
      expect(findSecrets(text)).toHaveLength(1);
      return process.cpuUsage(before).user;
    };
    took(200);
    expect(took(2_000)).toBeLessThan(50 * Math.max(5_000, took(200)));
    // Quadratic, this took most of a minute.
    expect(took(2_000)).toBeLessThan(5_000_000);
  });
});
