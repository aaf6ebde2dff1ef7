/** /openapi.json says what really arrives: an event of every type, delivered with a record as it is, is as its type is described. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVENT_TYPE_NAMES, EVENT_TYPES, type EventType } from '../../src/core/events/event-types.ts';
import type { NewEvent } from '../../src/store/records.ts';
import type { Json } from '../builders/app.ts';
import { eventually } from '../builders/service-process.ts';
import { startReceiver, type WebhookReceiver } from '../builders/webhook-receiver.ts';
import { type ApprovalsApp, startApprovalsApp } from '../families/c-platform/approvals-app.ts';

const RETRACTING = ['transaction.retracted', 'block.disconnected', 'contract.retracted'];

let app: ApprovalsApp;
let receiver: WebhookReceiver;
let document: Json;
beforeAll(async () => {
  receiver = await startReceiver();
  app = await startApprovalsApp({ env: { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32' } });
  document = (await app.get('/openapi.json', { apiKey: null })).body;
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

const ajv = new Ajv2020({ strict: false, validateFormats: false });
function problems(type: string, body: Json): string | null {
  if (ajv.getSchema('document') === undefined) ajv.addSchema({ $id: 'document', components: document.components });
  if (ajv.getSchema(type) === undefined) {
    const { schema } = document.webhooks[type].post.requestBody.content['application/json'];
    ajv.addSchema({ $id: type, ...JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) });
  }
  const validate = ajv.getSchema(type)!;
  return validate(body) ? null : ajv.errorsText(validate.errors);
}

const terms = { type: 'dlc', oracle: 'local', outcomes: ['yes', 'no'], collateral: '0.1' };
const created = async (path: string, body: Json): Promise<Json> => {
  const answer = await app.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};

/** One of each type, about these records; each is written as the service writes it. */
async function write(ids: Json): Promise<void> {
  const { store } = app.app;
  for (const type of EVENT_TYPE_NAMES) {
    const { channel, example } = EVENT_TYPES[type];
    const own = Object.fromEntries(Object.entries(ids).filter(([member]) => member in example));
    const accountId = channel === 'blocks' ? null : app.accountId;
    const event: NewEvent = { accountId, channel, ref: type, data: { ...example, ...own } };
    await store.write(async (tx) => {
      const before = RETRACTING.includes(type) ? await tx.events.append(event) : undefined;
      await tx.events.append({ ...event, ...(before !== undefined && { retractsEventId: before }) });
    });
  }
}

it('of each type with its record, and without where that is gone', async () => {
  await app.rules({ when: { operations: ['payment'] } });
  const { approval_id } = await app.waiting();
  await app.rules();
  const ids = {
    txid: (await app.pay()).body.txid,
    approval_id,
    contract_id: (await created('/api/v1/contracts', terms)).contract_id,
  };
  await created('/api/v1/webhooks', { url: receiver.url, events: ['*'] });
  const since = await app.app.store.read.events.lastSeq();
  await write(ids);
  await write({
    txid: '00'.repeat(32),
    contract_id: 'ctr_3mVb1k7Q2xYt9LpRw0Zc5A',
    approval_id: 'apr_8sKd2LmQ9vXcT4yHn6PzRa',
  });
  const bodies = await eventually('all are delivered', async () => {
    const found = receiver.taken.map(({ body }) => body).filter(({ seq }) => seq > Number(since));
    return EVENT_TYPE_NAMES.every((name) => found.filter(({ type }) => type === name).length > 1) && found;
  });
  for (const body of bodies) expect(problems(body.type, body), JSON.stringify(body)).toBeNull();
  const whole = new Set(bodies.filter(({ data }) => data.created_at !== undefined).map(({ type }) => type));
  expect([...whole].sort()).toEqual(EVENT_TYPE_NAMES.filter((type) => EVENT_TYPES[type].record !== null).sort());
});

it('and nothing else is: another type, an update without a member, a record that is damaged', () => {
  const first = new Map(
    receiver.taken.map(({ body }) => [body.type as EventType, body]).reverse() as [EventType, Json][],
  );
  for (const type of EVENT_TYPE_NAMES) {
    const body = first.get(type)!;
    const other = EVENT_TYPE_NAMES.find((name) => name !== type)!;
    const [member] = Object.keys(EVENT_TYPES[type].example);
    const { [member!]: _, ...less } = body.data;
    const wrong = [
      { ...body, type: other },
      { ...body, data: less },
      { ...body, seq: 'one' },
    ];
    if (EVENT_TYPES[type].record !== null) wrong.push({ ...body, data: { ...body.data, created_at: 5 } });
    for (const one of wrong) expect(problems(type, one), JSON.stringify(one)).not.toBeNull();
  }
});
