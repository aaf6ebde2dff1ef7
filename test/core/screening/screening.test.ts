/** Screening lists: what matches what, how files are read, and what a match does to a verdict. */
import { address as codec, networks, payments } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { pointFromScalar } from 'tiny-secp256k1';
import { expect, it } from 'vitest';
import type { DomainError } from '../../../src/core/errors.ts';
import { sha256 } from '../../../src/core/hashes.ts';
import { candidatesOf, verdictOf } from '../../../src/core/policies/evaluate.ts';
import { candidatesOfEach, verdictOfEach } from '../../../src/core/policies/evaluate-each.ts';
import type { Listed, Policy, PolicyConditions } from '../../../src/core/policies/policy.ts';
import { payerKeys } from '../../../src/core/screening/payer-keys.ts';
import { screeningJobs } from '../../../src/core/screening/screening-csv.ts';
import { screeningKey } from '../../../src/core/screening/screening-key.ts';
import { pushData } from '../../../src/core/scripts/push.ts';
import { payee, rule, spending } from '../policies/spendings.ts';

const network = networks.regtest;
const publicKeyOf = (name: string) => pointFromScalar(sha256(Buffer.from(name)), true)!;
const PAST = () => ({ amountSats: 0n, count: 0 });

it('the scripts of one key match one another, and no other key; scripts and taproot match themselves alone', () => {
  const forms = (pubkey: Uint8Array) => {
    const p2wpkh = payments.p2wpkh({ pubkey, network });
    return [
      payments.p2pkh({ pubkey, network }),
      p2wpkh,
      payments.p2sh({ redeem: p2wpkh, network }),
      payments.p2pk({ pubkey }),
    ];
  };
  const keyOf = ({ output }: { output?: Uint8Array }) => screeningKey(Buffer.from(output!).toString('hex'));
  const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 2 });
  fc.assert(
    fc.property(names, ([one = '', other = '']) => {
      const [a, b] = [one, other].map((name) => new Set(forms(publicKeyOf(name)).map(keyOf)));
      expect([a!.size, b!.size, new Set([...a!, ...b!]).size]).toEqual([1, 1, 2]);
    }),
    { numRuns: 20 },
  );
  const publicKey = publicKeyOf('a');
  const tree = { output: Buffer.from(`5120${'11'.repeat(32)}`, 'hex') };
  const script = payments.p2wsh({ redeem: payments.p2pk({ pubkey: publicKey, network }), network });
  const own = [tree, script, payments.p2sh({ redeem: script, network })];
  expect(new Set(own.map(keyOf)).size).toBe(3);
  expect(own.map(keyOf)).toEqual(own.map(({ output }) => Buffer.from(output!).toString('hex')));
});

it('an input tells whose it is: of one key in each form, of scripts by their hash; of taproot and P2PK nothing', () => {
  const publicKey = publicKeyOf('a');
  const [signature, redeem] = [Buffer.alloc(71, 0x30), Buffer.from('5187', 'hex')];
  const keysOf = (...outputs: { output?: Uint8Array }[]) =>
    outputs.map(({ output }) => screeningKey(Buffer.from(output!).toString('hex')));
  const input = (scriptSig: readonly Uint8Array[], witness: readonly Uint8Array[] = []) =>
    payerKeys({ scriptSig: Buffer.concat(scriptSig.map(pushData)), witness });
  const p2wpkh = payments.p2wpkh({ pubkey: publicKey, network });
  const [own = ''] = keysOf(p2wpkh);
  expect(input([], [signature, publicKey])).toContain(own);
  expect(input([signature, publicKey])).toContain(own);
  expect(input([p2wpkh.output!], [signature, publicKey])).toEqual([own]);
  const script = payments.p2wsh({ redeem: { output: redeem }, network });
  expect(input([], [Buffer.of(1), redeem])).toEqual(keysOf(script));
  expect(input([script.output!], [redeem])).toEqual(keysOf(payments.p2sh({ redeem: script, network })));
  expect(input([Buffer.of(7), redeem])).toEqual(keysOf(payments.p2sh({ redeem: { output: redeem }, network })));
  expect(input([])).toEqual([]);
  const tree = keysOf({ output: Buffer.from(`5120${'11'.repeat(32)}`, 'hex') })[0];
  expect(input([], [Buffer.alloc(64, 1)])).not.toContain(tree);
});

const read = (csv: string) =>
  screeningJobs['screening.read']({ csv }, { network: 'regtest' }).flatMap((slice) => JSON.parse(slice));
const addressOf = (name: string) =>
  codec.fromOutputScript(payments.p2wpkh({ pubkey: publicKeyOf(name) }).output!, network);
const [a, b] = [addressOf('a'), addressOf('b')];

it('files are read with a header in any order, or as addresses alone; every wrong line is named', () => {
  expect(read(`${a.toUpperCase()}\r\n${b}\r\n`).map(({ address }) => address)).toEqual([a, b]);
  expect(read(`reference,Address\n"SDN, 1",${a}\n`)).toMatchObject([{ address: a, reason: '', reference: 'SDN, 1' }]);
  const refusal = (csv: string): unknown[] => {
    try {
      return read(csv);
    } catch (error) {
      const { code, details } = error as DomainError;
      return [code, ...(details.errors ?? [details]).map(({ field }) => field)];
    }
  };
  expect(refusal(`address,reason\n${a},x\nnonsense,\n${a},again\n${b}\n`)).toEqual([
    ...['invalid_address', 'csv[3].address', 'csv[4].address', 'csv[5]'],
  ]);
  expect(refusal('address\n')).toEqual(['invalid_value', 'csv[1]']);
  expect(refusal(`address,name\n${a},x\n`)).toEqual(['invalid_value', 'csv[1]']);
  expect(refusal(`adress,reason\n${a},x\n${b},y`)).toEqual(['invalid_value', 'csv[1]']);
  expect(refusal('1BoatSLRHtKNngkdXEeobR76b53LETtpyT')).toEqual(['wrong_network', 'csv[1].address']);
  expect(refusal(`address,reason\n${a},${'x'.repeat(201)}\n`)).toEqual(['invalid_value', 'csv[2].reason']);
  expect(refusal(`${'x\n'.repeat(10_001)}`)).toEqual(['invalid_value', 'csv[10001]']);
  expect(refusal('x\n'.repeat(50))).toHaveLength(21);
});

const [first, second]: [Listed, Listed] = [
  { listId: 'scl_a', name: 'one', address: 'x' },
  { listId: 'scl_b', name: 'two', address: 'y' },
];
const allow: Pick<Policy, 'then'> = { then: { action: 'allow' } };
const approve: Pick<Policy, 'then'> = { then: { action: 'approve', required: 1, from: {}, expiresInHours: 1 } };
const ofList = (lists: string[]): PolicyConditions => ({ screening: { lists } });

it.each<[string, readonly Listed[], readonly Policy[], string, readonly string[]]>([
  ['nothing listed', [], [], 'allow', []],
  ['nothing listed, and a rule that asks', [], [rule({ screening: {} })], 'allow', []],
  ['no rule', [first], [], 'deny', ['scl_a']],
  ['a rule that does not ask', [first], [rule({}, allow)], 'deny', ['scl_a']],
  ['a rule that asks for any', [first, second], [rule({ screening: {} }, allow)], 'allow', []],
  ['a rule that asks for this one', [first], [rule(ofList(['scl_a']), approve)], 'approve', []],
  ['a rule that asks for one of two', [first, second], [rule(ofList(['scl_a']), allow)], 'deny', ['scl_b']],
  [
    'a rule for each',
    [first, second],
    [rule(ofList(['scl_a']), allow), rule(ofList(['scl_b']), approve)],
    'approve',
    [],
  ],
  [
    'a rule whose other condition fails',
    [first],
    [rule({ screening: {}, amountOverSats: 9_999n }, allow)],
    'deny',
    ['scl_a'],
  ],
  ['a rule that is off', [first], [rule({ screening: {} }, { ...allow, enabled: false })], 'deny', ['scl_a']],
  ['another rule that denies', [first], [rule({ screening: {} }, allow), rule({})], 'deny', []],
])('%s', (_name, listed, policies, action, undecided) => {
  const verdict = verdictOf(candidatesOf(policies, spending({ listed })), 'allow', PAST);
  expect([verdict.action, verdict.listed.map(({ listId }) => listId)]).toEqual([action, undecided]);
});

it('a rule that allows by an address book entry that is not effective yet decides nothing', () => {
  const payees = [payee(1n, 'x', [{ entryId: 'abe_a', tags: [], pending: true }])];
  const when = { screening: {}, destinations: { entries: ['abe_a'] } };
  const verdict = verdictOf(candidatesOf([rule(when, approve)], spending({ payees, listed: [first] })), 'allow', PAST);
  expect([verdict.action, verdict.message]).toEqual(['deny', expect.stringContaining('list "one" (scl_a)')]);
});

it('a rule that only asks for lists permits no payee that default_action denies', () => {
  const payees = [payee(1n, 'x', [{ entryId: 'abe_a', tags: [] }])];
  const asked = spending({ payees, listed: [first] });
  const under = (...rules: Policy[]) => verdictOf(candidatesOf(rules, asked), 'deny', PAST).action;
  expect(under(rule({ screening: {} }, allow))).toBe('deny');
  expect(under(rule({ screening: {} }, approve))).toBe('deny');
  expect(under(rule({ screening: {} }, approve), rule({}, allow))).toBe('approve');
  expect(under(rule({ screening: {}, destinations: { entries: ['abe_a'] } }, allow))).toBe('allow');
});

it('what is two operations is decided for both', () => {
  const both = (when: PolicyConditions) =>
    verdictOfEach(candidatesOfEach([rule(when, allow)], spending({ listed: [first] }), 'psbt'), 'allow', PAST);
  expect(both({ screening: {}, operations: ['payment'] })).toMatchObject({ action: 'deny', listed: [first] });
  expect(both({ screening: {} })).toMatchObject({ action: 'allow', listed: [] });
});
