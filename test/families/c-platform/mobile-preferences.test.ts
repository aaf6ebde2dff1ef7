/** How people want to be notified. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../builders/app.ts';

const PREFERENCES = '/api/v1/mobile/preferences';
const wanted = {
  channels: { push: false, email: true },
  quiet_hours: { timezone: 'Europe/Zurich', days: ['saturday', 'sunday'], from: '22:00', to: '07:00' },
  currency: 'CHF',
};

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

it('are replaced as a whole, by who has seen the version that is there', async () => {
  const fresh = await service.get(PREFERENCES);
  expect(fresh.headers.etag).toBe('"0"');
  expect(fresh.body).toMatchObject({ channels: { push: true, email: true }, quiet_hours: null, currency: 'BTC' });
  expect(Buffer.from(fresh.body.push_public_key, 'base64url')).toHaveLength(65);
  const put = (body: object, ifMatch?: string) =>
    service.call('PUT', PREFERENCES, body, { headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } });
  const first = await put(wanted, '"0"');
  expect(first).toMatchObject({ status: 200, headers: { etag: '"1"' }, body: { ...wanted, version: 1 } });
  expect((await put({}, '"0"')).status).toBe(412);
  expect((await service.get(PREFERENCES)).body).toEqual(first.body);
  const second = await put({ currency: 'EUR' });
  const { push_public_key, updated_at } = second.body;
  const rest = { channels: { push: true, email: true }, quiet_hours: null, currency: 'EUR' };
  expect(second.body).toEqual({ version: 2, ...rest, push_public_key, updated_at });
  expect(push_public_key).toBe(fresh.body.push_public_key);
});

it('belong to whom a credential counts as', async () => {
  const other = await service.key({ scopes: ['mobile:write'], role: 'viewer' });
  expect((await service.get(PREFERENCES, { apiKey: other })).body.version).toBe(0);
  await service.call('PUT', PREFERENCES, wanted, { apiKey: other });
  expect((await service.get(PREFERENCES, { apiKey: other })).body.channels.push).toBe(false);
  expect((await service.get(PREFERENCES)).body.channels.push).toBe(true);
});

it.each([
  [{ currency: 'Euro' }, 'currency'],
  [{ quiet_hours: { timezone: '+02:00', from: '22:00', to: '07:00' } }, 'quiet_hours.timezone'],
  [{ quiet_hours: { timezone: 'UTC', from: '22:00', to: '22:00' } }, 'quiet_hours.to'],
  [{ channels: { in_app: false } }, 'channels.in_app'],
])('refuse %j', async (body, field) => {
  const refused = await service.call('PUT', PREFERENCES, body);
  expect(refused).toMatchObject({ status: 400, body: { error: { details: { field } } } });
});
