import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../builders/app.ts';

const SCRIPTS = '/api/v1/bitcoin/scripts';
const DESCRIPTORS = '/api/v1/bitcoin/descriptors';
const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const OTHER = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const TPUB =
  'tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const refusal = (answer: { status: number; body: { error: { details: object } } }) => ({
  status: answer.status,
  ...answer.body.error.details,
});

describe('scripts', () => {
  it('are taken apart with offsets, data and whether pushes are minimal', async () => {
    const { status, body } = await app.post(`${SCRIPTS}/disassemble`, { script: '51010176a902abcd4c0105ae' });
    expect(status).toBe(200);
    expect(body.asm).toBe('1 1 OP_DUP OP_HASH160 -19883 5 OP_CHECKMULTISIG');
    expect(body.elements.map((element: { offset: number }) => element.offset)).toEqual([0, 1, 3, 4, 5, 8, 11]);
    expect(body.elements.map((element: { minimal: boolean | null }) => element.minimal)).toEqual([
      true,
      false,
      null,
      null,
      true,
      false,
      null,
    ]);
    expect(body).toMatchObject({ minimal: false, problem: null, size: 12 });
  });

  it.each([
    ['76a9140102', 2, 'a push of 20 bytes has only 2 bytes left'],
    ['514d01', 1, 'OP_PUSHDATA2 lacks its 2-byte length'],
    ['4e', 0, 'OP_PUSHDATA4 lacks its 4-byte length'],
  ])('cut off in %s are told at %i', async (script, offset, reason) => {
    const { body } = await app.post(`${SCRIPTS}/disassemble`, { script });
    expect(body.problem).toEqual({ offset, reason });
    expect(body.asm.endsWith('[error]')).toBe(true);
  });

  it('are put together again from their text', async () => {
    const asm = `OP_2 ${KEY} ${OTHER} 2 OP_CHECKMULTISIG 144 -1 0 abcdef0102`;
    const { status, body } = await app.post(`${SCRIPTS}/assemble`, { asm });
    expect(status).toBe(200);
    expect(body.script).toBe(`5221${KEY}21${OTHER}52ae0290004f0005abcdef0102`);
    expect(body.minimal).toBe(true);
    const wrong = await app.post(`${SCRIPTS}/assemble`, { asm: 'OP_DUP OP_NOSUCH' });
    expect(refusal(wrong)).toMatchObject({ status: 400, code: 'invalid_script', field: 'asm' });
    expect(wrong.body.error.message).toContain('word 2');
  });

  it('are classified with keys, address, wrappings and dust', async () => {
    const script = `5121${KEY}21${OTHER}52ae`;
    const { status, body } = await app.post(`${SCRIPTS}/classify`, { script });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'multisig',
      required: 1,
      public_keys: [KEY, OTHER],
      address: null,
      standard: true,
      solvable: true,
      dust_threshold: '0.00000684',
    });
    expect(body.descriptor).toMatch(new RegExp(`^multi\\(1,${KEY},${OTHER}\\)#`));
    const inside = await app.post(`${SCRIPTS}/classify`, {
      script: body.wrappings.p2sh_p2wsh.script,
      witness_script: script,
    });
    expect(inside.body.descriptor).toMatch(new RegExp(`^sh\\(wsh\\(multi\\(1,${KEY},${OTHER}\\)\\)\\)#`));
    expect(inside.body.witness_script).toMatchObject({ type: 'multisig', required: 1 });
    expect(inside.body.address).toBe(body.wrappings.p2sh_p2wsh.address);
  });

  it('of data tell the data, and its text where it is one', async () => {
    const { body } = await app.post(`${SCRIPTS}/classify`, { script: '6a0568656c6c6f02ff00' });
    expect(body).toMatchObject({
      type: 'null-data',
      data: [
        { hex: '68656c6c6f', text: 'hello' },
        { hex: 'ff00', text: null },
      ],
      dust_threshold: '0.00000000',
      wrappings: { p2sh: null, p2wsh: null, p2sh_p2wsh: null },
    });
    const anchor = await app.post(`${SCRIPTS}/classify`, { script: '51024e73' });
    expect(anchor.body).toMatchObject({ type: 'p2a', address: 'bcrt1pfeesnyr2tx', standard: true });
  });

  it.each([
    ['classify', { script: 'abc' }, 'invalid_value', 'script'],
    ['classify', { script: '' }, 'invalid_value', 'script'],
    ['disassemble', { script: 12 }, 'invalid_value', 'script'],
    ['disassemble', {}, 'invalid_value', 'script'],
    ['disassemble', { script: '51', asm: '1' }, 'invalid_value', 'asm'],
    ['classify', { script: `a914${'00'.repeat(20)}87`, redeem_script: '51' }, 'invalid_script', 'redeem_script'],
    ['classify', { script: `0020${'00'.repeat(32)}`, witness_script: '51' }, 'invalid_script', 'witness_script'],
    [
      'classify',
      { script: '51', public_keys: [{ public_key: `02${'ff'.repeat(32)}` }] },
      'invalid_key',
      'public_keys[0].public_key',
    ],
    [
      'classify',
      { script: '51', public_keys: [{ public_key: KEY, path: '0/1' }] },
      'invalid_value',
      'public_keys[0].fingerprint',
    ],
    [
      'classify',
      { script: '51', public_keys: [{ public_key: KEY, fingerprint: 'd34db33f' }] },
      'invalid_value',
      'public_keys[0].path',
    ],
  ])('%s %j is refused', async (verb, body, code, field) => {
    const answer = await app.post(`${SCRIPTS}/${verb}`, body);
    expect(refusal(answer)).toMatchObject({ status: 400, code, field });
  });
});

describe('descriptors', () => {
  const descriptor = `wpkh([73C5DA0A/84'/1'/0']${TPUB}/<0;1>/*)`;

  it('show their keys, paths and weight', async () => {
    const { status, body } = await app.post(`${DESCRIPTORS}/parse`, { descriptor });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'wpkh',
      network: 'regtest',
      ranged: true,
      solvable: true,
      has_private_keys: false,
      input_weight: 164 + 108,
      miniscripts: [],
    });
    expect(body.descriptor).toMatch(/^wpkh\(\[73c5da0a\/84h\/1h\/0h\]tpub.*\/<0;1>\/\*\)#[a-z0-9]{8}$/);
    expect(body.paths.map((path: string) => path.split('#')[0]?.slice(-5))).toEqual(['/0/*)', '/1/*)']);
    expect(body.keys[0]).toMatchObject({ fingerprint: '73c5da0a', path: 'm/84h/1h/0h', extended: true, ranged: true });
    const canonical = await app.post(`${DESCRIPTORS}/parse`, { descriptor: body.descriptor });
    expect(canonical.body).toEqual({ ...body, checksum: canonical.body.checksum });
    const check = await app.post(`${DESCRIPTORS}/checksum`, { descriptor: body.descriptor });
    expect(check.body).toEqual({ checksum: canonical.body.checksum, matches: true });
  });

  it('derive the addresses of BIP84, with the paths that PSBTs carry', async () => {
    const { status, body } = await app.post(`${DESCRIPTORS}/derive`, { descriptor, from: 5, count: 3, path: 1 });
    expect(status).toBe(200);
    expect(body.data.map((one: { index: number }) => one.index)).toEqual([5, 6, 7]);
    expect(body.data[0].derivations).toEqual([
      { pubkey: expect.stringMatching(/^0[23]/), fingerprint: '73c5da0a', path: 'm/84h/1h/0h/1/5', leaf_hashes: null },
    ]);
    expect(body.data[0].address).toMatch(/^bcrt1q/);
  });

  it('of trees come with leaves and control blocks', async () => {
    const { body } = await app.post(`${DESCRIPTORS}/derive`, {
      descriptor: `tr(${KEY.slice(2)},{pk(${OTHER.slice(2)}),and_v(v:pk(${OTHER.slice(2)}),older(144))})`,
    });
    const [{ taproot, address }] = body.data;
    expect(address).toMatch(/^bcrt1p/);
    expect(taproot.leaves).toHaveLength(2);
    expect(taproot.leaves[0].script).toBe(`20${OTHER.slice(2)}ac`);
    expect(taproot.leaves[1].control_block).toHaveLength(2 * 65);
  });

  it('give derivations that PSBTs take as they are, and that an updater would write', async () => {
    const output = { txid: 'ab'.repeat(32), vout: 0 };
    const tree = `tr(${KEY.slice(2)},{pk(${OTHER.slice(2)}),and_v(v:pk(${OTHER.slice(2)}),older(144))})`;
    for (const [given, field] of [
      [descriptor, 'bip32_derivation'],
      [tree, 'tap_bip32_derivation'],
    ] as const) {
      const { body } = await app.post(`${DESCRIPTORS}/derive`, { descriptor: given });
      const [{ derivations, script }] = body.data;
      const witness_utxo = { script, amount: '0.01' };
      const outputs = [{ script, amount: '0.009', [field]: derivations }];
      const pasted = await app.post('/api/psbt/v2/create', {
        inputs: [{ ...output, witness_utxo, [field]: derivations }],
        outputs,
      });
      expect(pasted.status, pasted.text).toBe(200);
      expect(pasted.body.inputs[0].derivations).toEqual(derivations);
      expect(pasted.body.outputs[0].derivations).toEqual(derivations);
      const bare = await app.post('/api/psbt/v2/create', { inputs: [{ ...output, witness_utxo }], outputs });
      const updated = await app.post('/api/psbt/v2/update', { psbt: bare.body.psbt, descriptors: [given] });
      expect(updated.body.inputs[0].derivations).toEqual(derivations);
    }
    const { body } = await app.post(`${DESCRIPTORS}/derive`, { descriptor: tree });
    expect(body.data[0].derivations.map((key: { leaf_hashes: string[] }) => key.leaf_hashes.length)).toEqual([0, 2]);
  });

  it('of musig() tell whose keys it is made of, and derive as of a master key (BIP328, BIP390)', async () => {
    const musig = `tr(musig([73c5da0a/87h]${TPUB},${TPUB}/3)/<0;1>/*)`;
    const parsed = await app.post(`${DESCRIPTORS}/parse`, { descriptor: musig });
    expect(parsed.body).toMatchObject({ type: 'tr', ranged: true, solvable: true });
    expect(parsed.body.descriptor).toBe(`${musig}#${parsed.body.checksum}`);
    expect(parsed.body.keys[1]).toMatchObject({
      expression: `musig([73c5da0a/87h]${TPUB},${TPUB}/3)/1/*`,
      fingerprint: null,
      participants: [
        { fingerprint: '73c5da0a', path: 'm/87h', extended: true, ranged: false },
        { expression: `${TPUB}/3`, fingerprint: null },
      ],
    });
    const derived = await app.post(`${DESCRIPTORS}/derive`, { descriptor: musig, from: 9 });
    const [{ taproot, derivations }] = derived.body.data;
    expect(derivations.map(({ path }: { path: string }) => path)).toEqual(['m/0/9', 'm/87h', 'm/3']);
    expect(derivations[0].pubkey).toBe(taproot.internal_key);
  });

  it('with private keys are refused, and the key is nowhere in the answer', async () => {
    const wif = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
    const tprv =
      'tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK';
    for (const secret of [
      `wpkh(${wif})`,
      `wpkh([73c5da0a/84h]${tprv}/0/*)`,
      `wsh(multi(1,${KEY},${wif}))`,
      `pkh(${tprv})#abcdefgh`,
      `tr(musig(${KEY},${wif}))`,
    ]) {
      for (const verb of ['parse', 'derive']) {
        const answer = await app.post(`${DESCRIPTORS}/${verb}`, { descriptor: secret });
        expect(refusal(answer)).toMatchObject({ status: 400, code: 'invalid_descriptor', field: 'descriptor' });
        expect(answer.body.error.message).toContain('private key');
        expect(answer.text).not.toContain(wif.slice(0, 12));
        expect(answer.text).not.toContain(tprv.slice(0, 16));
      }
    }
  });

  it('whose miniscript is not sane are refused with the reason, and derive nothing', async () => {
    const insane = `wsh(or_i(pk(${KEY}),older(10)))`;
    const { body } = await app.post(`${DESCRIPTORS}/parse`, { descriptor: insane });
    expect(body.miniscripts[0]).toMatchObject({ sane: false, needs_signature: false, context: 'wsh' });
    expect(body.miniscripts[0].issues).toEqual(['it can be satisfied without a signature']);
    const derived = await app.post(`${DESCRIPTORS}/derive`, { descriptor: insane });
    expect(refusal(derived)).toMatchObject({ status: 400, code: 'invalid_descriptor', field: 'descriptor' });
  });

  it.each([
    ['wpkh()', 'invalid_descriptor'],
    [`wpkh(${KEY})#aaaaaaaa`, 'invalid_descriptor'],
    [`wsh(wpkh(${KEY}))`, 'invalid_descriptor'],
    [`wsh(or_b(pk(${KEY}),pk(${OTHER})))`, 'invalid_descriptor'],
    [`wsh(pk(musig(${KEY},${OTHER})))`, 'invalid_descriptor'],
    [`tr(musig(${KEY},${OTHER})/0/*)`, 'invalid_descriptor'],
    ['constructor(1)', 'invalid_descriptor'],
    ['addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)', 'wrong_network'],
    ['addr(nonsense)', 'invalid_address'],
    [`wpkh(${TPUB}/<0;1>/<0;1>/*)`, 'invalid_descriptor'],
    [`sh(multi(16,${Array(16).fill(KEY).join(',')}))`, 'invalid_descriptor'],
    [`wsh(${'n:'.repeat(300)}pk(${KEY}))`, 'invalid_descriptor'],
    [`tr(${KEY.slice(2)},${'{'.repeat(200)}pk(${KEY.slice(2)})${'}'.repeat(200)})`, 'invalid_descriptor'],
    ['wpkh(é)', 'invalid_descriptor'],
  ])('%s is refused', async (text, code) => {
    const answer = await app.post(`${DESCRIPTORS}/parse`, { descriptor: text });
    expect(refusal(answer)).toMatchObject({ status: 400, code, field: 'descriptor' });
  });

  it.each([
    [{ descriptor: `wpkh(${KEY})`, count: 2 }, 'count'],
    [{ descriptor: `wpkh(${KEY})`, from: 1 }, 'from'],
    [{ descriptor, count: 1001 }, 'count'],
    [{ descriptor, from: -1 }, 'from'],
    [{ descriptor, from: 0x7fffffff, count: 2 }, 'count'],
    [{ descriptor, path: 2 }, 'path'],
  ])('%j derives nothing', async (body, field) => {
    const answer = await app.post(`${DESCRIPTORS}/derive`, body);
    expect(refusal(answer)).toMatchObject({ status: 400, field });
  });

  it('are inferred from scripts, addresses and keys', async () => {
    const { body: derived } = await app.post(`${DESCRIPTORS}/derive`, { descriptor: `wpkh(${KEY})` });
    const [{ address, script_pubkey, script }] = derived.data;
    expect(script).toBe(script_pubkey);
    const unknown = await app.post(`${DESCRIPTORS}/infer`, { address });
    expect(unknown.body).toMatchObject({ solvable: false, type: 'addr', script_pubkey, script });
    const keys = [{ public_key: KEY, fingerprint: 'D34DB33F', path: "m/84'/1h/0h/0/3" }];
    const known = await app.post(`${DESCRIPTORS}/infer`, { script_pubkey, public_keys: keys });
    // Under its former name.
    expect((await app.post(`${DESCRIPTORS}/infer`, { script, public_keys: keys })).body).toEqual(known.body);
    expect(known.body.descriptor).toMatch(new RegExp(`^wpkh\\(\\[d34db33f/84h/1h/0h/0/3\\]${KEY}\\)#`));
    const both = await app.post(`${DESCRIPTORS}/infer`, { script, address });
    expect(refusal(both)).toMatchObject({ status: 400, field: 'script_pubkey' });
    const neither = await app.post(`${DESCRIPTORS}/infer`, {});
    expect(refusal(neither)).toMatchObject({ status: 400, field: 'script_pubkey' });
    const twice = await app.post(`${DESCRIPTORS}/infer`, { script, script_pubkey });
    expect(refusal(twice)).toMatchObject({ status: 400, field: 'script_pubkey' });
  });
});
