/** What is wrong in a request about contracts is said of the field that it is, with what would be right, in one sentence. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';

let app: TestApp;
let walletId: string;

beforeAll(async () => {
  app = await startTestApp();
  const wallet = await app.post('/api/v1/wallets', { name: 'contracts', type: 'segwit', backup_type: 'encrypted' });
  walletId = wallet.body.wallet_id;
});
afterAll(() => app?.close());

const TERMS = { oracle: 'local', outcomes: ['a', 'b'], collateral: '0.02' };
const NOBODY = `wal_${'0'.repeat(22)}`;
const CONTRACT = `/api/v1/dlc/contracts/ctr_${'0'.repeat(22)}`;

async function expectRefused(path: string, body: unknown, [status, field, says]: [number, string, RegExp]) {
  const answer = await app.post(path, body);
  expect([answer.status, answer.body.error?.details.field], answer.text).toEqual([status, field]);
  expect(answer.body.error.message).toMatch(says);
}

describe('a contract with a wrong counterparty', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['a text', 'remote', 'counterparty', /must be \{"wallet_id": "wal_…"\} .* or \{"mode": "remote"\}/],
    ['a list', [], 'counterparty', /must be \{"wallet_id"/],
    ['nobody', {}, 'counterparty', /must be \{"wallet_id"/],
    ['null', null, 'counterparty', /must be \{"wallet_id"/],
    ['an expiry alone', { expires_at: '2030-01-01T00:00:00Z' }, 'counterparty', /must be \{"wallet_id"/],
    ['another mode', { mode: 'local' }, 'counterparty.mode', /^counterparty\.mode must be "remote"$/],
    ['a mode that is a number', { mode: 1 }, 'counterparty.mode', /must be "remote"$/],
    ['both', { mode: 'remote', wallet_id: NOBODY }, 'counterparty.mode', /cannot go with wallet_id/],
    ['no id', { wallet_id: 'w' }, 'counterparty.wallet_id', /must be an id such as wal_/],
    [
      'an unknown field',
      { mode: 'remote', wallet: 1 },
      'counterparty.wallet',
      /is not a known field: did you mean wallet_id\?$/,
    ],
    [
      'an expiry for a wallet',
      { wallet_id: NOBODY, expires_at: '2030-01-01T00:00:00Z' },
      'counterparty.expires_at',
      /goes with mode "remote"/,
    ],
    [
      'an expiry in words',
      { mode: 'remote', expires_at: 'soon' },
      'counterparty.expires_at',
      /an ISO 8601 time in UTC/,
    ],
    [
      'an expiry that is past',
      { mode: 'remote', expires_at: '2020-01-01T00:00:00Z' },
      'counterparty.expires_at',
      /past/,
    ],
  ])('%s', (_, counterparty, field, says) =>
    expectRefused('/api/v1/contracts', { type: 'dlc', ...TERMS, counterparty }, [400, field, says]));

  it('a wallet that is not there', () =>
    expectRefused('/api/v1/contracts', { type: 'dlc', ...TERMS, counterparty: { wallet_id: NOBODY } }, [
      404,
      'counterparty.wallet_id',
      /^there is no wallet wal_/,
    ]));
});

describe('a contract with wrong terms', () => {
  const remote = { counterparty: { mode: 'remote' } };
  it.each<[string, Json, number, string, RegExp]>([
    [
      'CETs that open with the refund',
      { ...remote, cet_locktime: 500, refund_locktime: 501 },
      400,
      'refund_locktime',
      /at least 644:/,
    ],
    [
      'a side of dust',
      { offer_collateral: '0.00000999' },
      422,
      'offer_collateral',
      /nothing or at least 0\.00001000 BTC/,
    ],
    [
      'dust for the other side',
      { offer_collateral: '0.01999001' },
      422,
      'offer_collateral',
      /the accepter 0\.00000999$/,
    ],
    ['halves of dust', { ...remote, collateral: '0.00001999' }, 422, 'collateral', /at least 0\.00001000 BTC/],
    [
      'an outcome in two forms',
      { outcomes: ['é', 'b'], payouts: { é: '0.02', 'e\u0301': '0.01', b: '0' } },
      400,
      'payouts.e\u0301',
      /is there twice/,
    ],
    [
      'an outcome of a fraction',
      {
        outcomes: undefined,
        descriptor: {
          digits: 4,
          unit: '',
          precision: 0,
          payout_points: [
            { outcome: 1.5, payout: '0' },
            { outcome: 15, payout: '0' },
          ],
        },
      },
      400,
      'descriptor.payout_points[0].outcome',
      /outcome must be a whole number, as a number or in decimals$/,
    ],
  ])('%s', (_, more, status, field, says) =>
    expectRefused('/api/v1/contracts', { type: 'dlc', ...TERMS, wallet_id: walletId, ...more }, [status, field, says]));
});

describe('a division', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['nothing', undefined, 'body', /send a JSON object/],
    ['no field', {}, 'offer_payout', /is required to propose a division; to take one, send psbt and minimum_payout$/],
    [
      'proposed and taken',
      { offer_payout: '0', psbt: 'x', minimum_payout: '0' },
      'offer_payout',
      /cannot go with psbt/,
    ],
    ['taken for anything', { psbt: 'x' }, 'minimum_payout', /is required with psbt/],
    ['taken without it', { minimum_payout: '0' }, 'psbt', /is required with minimum_payout/],
    ['taken at a feerate', { psbt: 'x', minimum_payout: '0', fee_rate: '2' }, 'fee_rate', /cannot go with psbt/],
    ['a PSBT that is a number', { psbt: 4, minimum_payout: '0' }, 'psbt', /must be a string/],
    ['a least part that is a number', { psbt: 'x', minimum_payout: 0 }, 'minimum_payout', /must be a string/],
  ])('%s', (_, body, field, says) => expectRefused(`${CONTRACT}/close`, body, [400, field, says]));
});

it.each(['/api/v1/dlc/offers', `${CONTRACT}/accept`])('an expiry that is no time is refused by %s', (path) =>
  expectRefused(path, { message: 'a71a00000001', expires_at: 5 }, [400, 'expires_at', /an ISO 8601 time in UTC/]));
