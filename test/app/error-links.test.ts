/** Every refusal names the place where its code is explained. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REMEDIES } from '../../src/hooks/refusals/remedies.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const docsOf = async (answer: Promise<{ status: number; body: any }>) => {
  const { status, body } = await answer;
  return [status, body.error.details.code, body.error.details.docs];
};

describe('a refusal', () => {
  it('links its code at the public origin by which it was asked', async () => {
    const at = `http://${service.host}/docs/errors`;
    expect(await docsOf(service.get('/api/v1/wallets/nonsense'))).toEqual([
      400,
      'invalid_value',
      `${at}#invalid_value`,
    ]);
    expect(await docsOf(service.get('/nowhere'))).toEqual([404, 'not_found', `${at}#not_found`]);
    expect(await docsOf(service.get('/api/v1/wallets', { apiKey: null }))).toEqual([
      401,
      'unauthorized',
      `${at}#unauthorized`,
    ]);
  });

  it('by its path where it was asked by another name', async () => {
    const headers = { host: 'evil.example' };
    expect(await docsOf(service.get('/nowhere', { headers }))).toEqual([404, 'not_found', '/docs/errors#not_found']);
    expect(await docsOf(service.get('/%zz', { headers }))).toEqual([
      400,
      'malformed_request',
      '/docs/errors#malformed_request',
    ]);
  });

  it('also within the outcomes of many payments', async () => {
    await service.post('/api/v1/wallets', { name: 'empty', type: 'segwit', backup_type: 'none' });
    const to = { address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: '1' };
    const answer = await service.post('/api/v1/transactions/bulk', {
      transactions: [{ recipients: [to], fee_rate: '1', rbf: true }],
    });
    expect(answer.body.data, answer.text).toHaveLength(1);
    expect(answer.body.data[0].error.details).toMatchObject({
      code: 'insufficient_funds',
      docs: '/docs/errors#insufficient_funds',
    });
  });

  it('of OAuth by its error_uri (RFC 6749 §5.2)', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { body } = await service.post('/oauth/token', 'grant_type=client_credentials', { apiKey: null, headers });
    expect(body).toMatchObject({
      error: 'invalid_client',
      error_uri: `http://${service.host}/docs/errors#unauthorized`,
    });
  });

  it('has a place to link for each code', async () => {
    const { text } = await service.get('/docs/errors', { apiKey: null });
    for (const code of Object.keys(REMEDIES)) expect(text).toContain(`<tr id="${code}">`);
  });

  it('names pages and no files where it says how to sign', async () => {
    const { body } = await service.post('/api/v1/wallets', {}, { sign: false });
    expect(body.error.message).toContain('/docs/signing');
    expect(JSON.stringify([body, REMEDIES])).not.toMatch(/\.md\b/);
  });
});
