import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../builders/app.ts';

const HERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const MAINNET = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

describe('addresses', () => {
  const asked = async (address: string) => (await app.post('/api/v1/bitcoin/addresses/validate', { address })).body;

  it('that are valid show script and type, in either case', async () => {
    const lower = await asked(HERE);
    expect(lower).toMatchObject({
      valid: true,
      address: HERE,
      networks: ['regtest'],
      encoding: 'bech32',
      type: 'p2wpkh',
      script: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
      witness_version: 0,
      problem: null,
    });
    expect(await asked(HERE.toUpperCase())).toEqual(lower);
    const got = await app.get(`/api/v1/bitcoin/addresses/${HERE}`);
    expect(got.body).toEqual(lower);
  });

  it.each([
    [MAINNET, 'wrong_network', []],
    [HERE.replace('w508', 'w608'), 'checksum', [7]],
    [HERE.replace('w508', 'w6z8'), 'checksum', [7, 8]],
    [`${HERE.slice(0, 20)}${HERE.slice(24)}`, 'checksum', null],
    [HERE.replace('w508', 'W508'), 'mixed_case', [6]],
    [HERE.replace('w508', 'wb08'), 'character', [7]],
    [`bcrt1${'q'.repeat(90)}`, 'length', []],
    ['bcrt1qw', 'length', []],
    // A version 0 program of 16 bytes; version 1 in bech32, version 0 in bech32m (BIP350).
    ['BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P', 'witness_program', []],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', 'encoding', []],
    ['BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL', 'encoding', []],
    ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfm', 'checksum', []],
    ['0OIl', 'character', [0, 1, 2, 3]],
    ['hello', 'character', [2, 3]],
    ['x', 'length', []],
  ])('%s: %s', async (address, code, positions) => {
    const found = await asked(address);
    expect(found).toMatchObject({ valid: false, problem: { code } });
    expect(found.problem.reason).not.toBe('');
    if (positions !== null) expect(found.problem.positions).toEqual(positions);
  });

  it('of another network say which', async () => {
    expect(await asked(MAINNET)).toMatchObject({ networks: ['mainnet'], type: 'p2wpkh', valid: false });
    const shared = await asked('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn');
    expect(shared).toMatchObject({ valid: true, networks: ['regtest', 'signet', 'testnet4'], encoding: 'base58' });
  });

  it.each([
    [{}],
    [{ address: '' }],
    [{ address: 'x'.repeat(201) }],
    [{ address: 5 }],
  ])('%j is refused', async (body) => {
    const answer = await app.post('/api/v1/bitcoin/addresses/validate', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.field).toBe('address');
  });
});

describe('bitcoin: URIs', () => {
  const build = (body: object) => app.post('/api/v1/bitcoin/uris/build', body);
  const parse = (uri: string) => app.post('/api/v1/bitcoin/uris/parse', { uri });

  it('are built and read back exactly', async () => {
    const { status, body } = await build({
      address: HERE,
      amount: '20.30000001',
      label: 'Luke & Söhne = 100%',
      message: 'a+b?c#d',
      lightning: 'lnbc420bogusinvoice',
      pop: 'myapp:paid?',
      parameters: [{ key: 'x-order', value: '42' }],
    });
    expect(status).toBe(200);
    expect(body.uri).toBe(
      `bitcoin:${HERE}?amount=20.30000001&label=Luke%20%26%20S%C3%B6hne%20%3D%20100%25&message=a%2Bb%3Fc%23d` +
        '&lightning=lnbc420bogusinvoice&pop=myapp%3Apaid%3F&x-order=42',
    );
    expect(body).toMatchObject({
      payable: true,
      problems: [],
      address: HERE,
      amount: '20.30000001',
      label: 'Luke & Söhne = 100%',
      message: 'a+b?c#d',
      pop: { uri: 'myapp:paid?', required: false, allowed: true },
      others: [{ key: 'x-order', value: '42', required: false }],
      image: null,
    });
    const { image, ...rest } = body;
    expect((await parse(body.uri)).body).toEqual(rest);
  });

  it('in upper case for QR codes mean the same', async () => {
    const { body } = await build({ address: HERE, amount: '1.5', upper_case: true });
    expect(body.uri).toBe(`BITCOIN:${HERE.toUpperCase()}?AMOUNT=1.5`);
    expect(body).toMatchObject({ address: HERE, amount: '1.50000000', payable: true });
    const refused = await build({ address: HERE, label: 'Luke', upper_case: true });
    expect(refused.body.error.details.field).toBe('upper_case');
  });

  it('ask for a proof of payment only by saying where it goes', async () => {
    const { status, body } = await build({ address: HERE, pop_required: true });
    expect([status, body.error.details.field]).toEqual([400, 'pop']);
  });

  it('with required parameters that nobody knows are not payable', async () => {
    const { status, body } = await parse(`bitcoin:${HERE}?req-somethingnew=50&else=9`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      payable: false,
      problems: [{ parameter: 'req-somethingnew' }],
      others: [
        { key: 'somethingnew', value: '50', required: true },
        { key: 'else', value: '9', required: false },
      ],
    });
  });

  it.each([
    [`bitcoin:?bcrt=${HERE}`, true],
    [`BITCOIN:?BCRT=${HERE.toUpperCase()}`, true],
    ['bitcoin:?lightning=lnbc420bogusinvoice', true],
    [`bitcoin:${HERE}?bc=${MAINNET}`, true],
    [`bitcoin:${MAINNET}`, false],
    ['bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?label=Luke-Jr', false],
    [`bitcoin:${HERE}?req-pop=https%3aevilwebsite.com`, false],
    [`bitcoin:${HERE}?pop=https%3aevilwebsite.com`, true],
    [`bitcoin:${HERE}?AmOuNt=.5`, true],
  ])('%s: payable %s', async (uri, payable) => {
    const { status, body } = await parse(uri);
    expect(status).toBe(200);
    expect(body.payable).toBe(payable);
    expect(body.problems.length > 0).toBe(!payable || uri.includes('bc='));
  });

  it.each([
    `bitcoin:${HERE}?label=Luke-Jr&label=Matt`,
    `bitcoin:${HERE}?amount=42&amount=10`,
    `bitcoin:${HERE}?amount=42&amount=42`,
    `bitcoin:${HERE}?pop=callback%3a&req-pop=callback%3a`,
    `bitcoin:?bc=${HERE}`,
    `bitcoin:${HERE}?amount=50,000.00`,
    `bitcoin:${HERE}?amount=0.000000001`,
    `bitcoin:${HERE}?amount=-1`,
    `bitcoin:${HERE}?amount=`,
    `bitcoin:${HERE}?amount=.`,
    `bitcoin:${HERE}?amount=1e3`,
    `bitcoin:${HERE}?amount=21000001`,
    `bitcoin:${HERE}?label=%zz`,
    `bitcoin:${HERE}?label=%ff`,
    `bitcoin:${HERE}?label=ü`,
    `bitcoin:${HERE}?=5`,
    'bitcoin:',
    'bitcoin:?',
    'bitcoin:?label=x',
    `litecoin:${HERE}`,
    HERE,
    `bitcoin:${HERE}#x`,
    `bitcoin:${HERE}?${'a=1&'.repeat(1100)}`,
  ])('%s is refused', async (uri) => {
    const answer = await parse(uri);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details).toMatchObject({ code: 'invalid_value', field: 'uri' });
  });

  it('refuses to build what could not be paid', async () => {
    for (const [body, field] of [
      [{}, 'address'],
      [{ address: MAINNET }, 'address'],
      [{ address: `${HERE.slice(0, -1)}q` }, 'address'],
      [{ address: HERE, amount: '0' }, 'amount'],
      [{ address: HERE, pop: 'https://a.example' }, 'pop'],
      [{ addresses: [HERE, 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'] }, 'addresses[1]'],
      [{ address: HERE, parameters: [{ key: 'amount', value: '1' }] }, 'parameters[0].key'],
      [{ address: HERE, parameters: [{ key: 'REQ-x' }] }, 'parameters[0].key'],
    ] as const) {
      const answer = await build(body);
      expect({ status: answer.status, field: answer.body.error.details.field }).toEqual({ status: 400, field });
    }
  });

  it('are drawn as SVG and PNG', async () => {
    const { body } = await build({ address: HERE, image: { format: 'svg', scale: 4 } });
    expect(body.image).toMatchObject({ format: 'svg', media_type: 'image/svg+xml', encoding: 'utf-8' });
    expect(body.image.data).toMatch(/^<svg /);
    const png = await app.post('/api/v1/bitcoin/uris/qr', { uri: body.uri, format: 'png' });
    expect(Buffer.from(png.body.data, 'base64').subarray(1, 4).toString()).toBe('PNG');
    const shown = await app.get(`/api/v1/bitcoin/uris/qr?scale=4&uri=${encodeURIComponent(body.uri)}`);
    expect(shown.headers['content-type']).toContain('image/svg+xml');
    expect(shown.text).toBe(body.image.data);
    const wrong = await app.get('/api/v1/bitcoin/uris/qr?uri=nonsense');
    expect(wrong.body.error.details.field).toBe('query.uri');
    const tooMuch = await build({
      address: HERE,
      message: 'x'.repeat(1900),
      image: { format: 'svg', error_correction: 'high' },
    });
    expect({ status: tooMuch.status, field: tooMuch.body.error.details.field }).toEqual({
      status: 422,
      field: 'image',
    });
  });
});
