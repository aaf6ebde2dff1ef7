import { analyzeMiniscript, satisfier } from '@bitcoinerlab/miniscript';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hash160, sha256 } from '../../../../src/core/hashes.ts';
import { decodeMiniscript } from '../../../../src/core/scripts/miniscript/decode-miniscript.ts';
import { miniscriptText } from '../../../../src/core/scripts/miniscript/miniscript.ts';
import { type SatisfyingFacts, satisfyMiniscript } from '../../../../src/core/scripts/miniscript/satisfy-miniscript.ts';
import { miniscriptScript } from '../../psbt/spend-cases.ts';
import { arbitraryMiniscript, KEYS, PREIMAGES } from './arbitrary-miniscript.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const keyByHash = new Map(
  KEYS.flatMap(({ point, xOnly }) => [point, xOnly].map((key) => [hex(hash160(key)), key] as const)),
);
const preimages = new Map<string, Buffer>(
  PREIMAGES.flatMap((preimage) => [
    [`sha256${hex(sha256(preimage))}`, preimage] as const,
    [`hash256${hex(sha256(sha256(preimage)))}`, preimage] as const,
  ]),
);
const SEQUENCE = 150;
const LOCKTIME = 150;

describe('decoding', () => {
  it('finds the miniscript of every script that one compiles to', () => {
    fc.assert(
      fc.property(arbitraryMiniscript, ({ text, tapscript }) => {
        const script = miniscriptScript(text, tapscript);
        const node = decodeMiniscript(script, tapscript ? 'tapscript' : 'segwit-v0');
        expect(node, text).not.toBeNull();
        const decoded = miniscriptText(node!).replace(
          /pk_h\(([0-9a-f]{40})\)/g,
          (_, hash: string) => `pk_h(${hex(keyByHash.get(hash)!)})`,
        );
        expect(hex(miniscriptScript(decoded, tapscript))).toBe(hex(script));
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 120 }),
        fc.constantFrom('legacy', 'segwit-v0', 'tapscript' as const),
        (script, context) => {
          decodeMiniscript(script, context);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('never throws on scripts that are almost miniscripts', () => {
    const edited = fc.tuple(arbitraryMiniscript, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.boolean());
    fc.assert(
      fc.property(edited, ([{ text, tapscript }, at, byte, cut]) => {
        const script = miniscriptScript(text, tapscript);
        if (cut) decodeMiniscript(script.subarray(at % script.length), tapscript ? 'tapscript' : 'segwit-v0');
        script[at % script.length] = byte;
        const node = decodeMiniscript(script, tapscript ? 'tapscript' : 'segwit-v0');
        if (node !== null) expect(analyzeMiniscript(miniscriptText(node), { tapscript }).valid).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  const key = hex(KEYS[0]!.point);
  it.each([
    ['0NOTEQUAL ten thousand times', Buffer.alloc(9_000, 0x92)],
    ['ENDIF ten thousand times', Buffer.alloc(9_000, 0x68)],
    ['VERIFY ten thousand times', Buffer.alloc(9_000, 0x69)],
    [
      'a threshold of ones',
      Buffer.concat([Buffer.of(0x51), Buffer.from('7c5193'.repeat(3000), 'hex'), Buffer.of(0x51, 0x87)]),
    ],
    ['keys in a row', Buffer.from(`${`21${key}ad`.repeat(250)}21${key}ac`, 'hex')],
    ['a longer script than any', Buffer.alloc(20_000, 0x51)],
  ])('gives up on %s', (_, script) => {
    expect(decodeMiniscript(script, 'segwit-v0')).toBeNull();
  });
});

const facts = (signed: (key: Uint8Array) => boolean, known: boolean): SatisfyingFacts => ({
  signature: (key) => (signed(key) ? Buffer.alloc(key.length === 32 ? 65 : 73) : null),
  keyOf: (hash) => keyByHash.get(hex(hash)) ?? null,
  preimage: (fragment, hash) => (known ? (preimages.get(fragment + hex(hash)) ?? null) : null),
  older: (value) => value <= SEQUENCE,
  after: (value) => value <= LOCKTIME,
});

/** Bytes of a witness as @bitcoinerlab/miniscript writes it. */
const sizeOf = (asm: string, tapscript: boolean): number =>
  asm
    .split(' ')
    .filter((token) => token !== '')
    .reduce((size, token) => {
      if (token === '0') return size + 1;
      if (token === '1') return size + 2;
      if (token.startsWith('<sig(')) return size + (tapscript ? 66 : 74);
      return size + (token.includes('preimage') || tapscript ? 33 : 34);
    }, 0);

const sized = (stack: readonly Uint8Array[]): number => stack.reduce((size, { length }) => size + length + 1, 0);

describe('satisfying', () => {
  it('finds what @bitcoinerlab/miniscript finds among all ways, for sane miniscripts', () => {
    let found = 0;
    fc.assert(
      fc.property(arbitraryMiniscript, fc.nat({ max: 0xffff }), fc.boolean(), ({ text, tapscript }, mask, known) => {
        fc.pre(analyzeMiniscript(text, { tapscript }).issane);
        const names = KEYS.filter((_, index) => mask & (1 << index)).map((one) =>
          hex(tapscript ? one.xOnly : one.point),
        );
        const knowns = names.map((name) => `<sig(${name})>`);
        if (known)
          for (const name of preimages.keys()) {
            const [, fragment, hash] = /^(sha256|hash256)(.*)$/.exec(name)!;
            knowns.push(`<${fragment}_preimage(${hash})>`);
          }
        const theirs = satisfier(text, { tapscript, knowns, maxSolutions: null })
          .nonMalleableSats.filter(({ nSequence = 0, nLockTime = 0 }) => nSequence <= SEQUENCE && nLockTime <= LOCKTIME)
          .map(({ asm }) => sizeOf(asm, tapscript));
        const node = decodeMiniscript(miniscriptScript(text, tapscript), tapscript ? 'tapscript' : 'segwit-v0')!;
        const ours = satisfyMiniscript(
          node,
          facts((key) => names.includes(hex(key)), known),
        );
        if (theirs.length === 0) return;
        found++;
        expect(ours, text).not.toBeNull();
        expect(sized(ours!), text).toBeLessThanOrEqual(Math.min(...theirs));
      }),
      { numRuns: 400 },
    );
    expect(found).toBeGreaterThan(30);
  });
});
