/** /asyncapi.json says what really comes over WebSockets: every message that a client hears in a contract's life is as it is described. */
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOCKET_CHANNELS } from '../../src/core/events/channels.ts';
import { GOVERNANCE_KINDS, type GovernanceEvent } from '../../src/core/events/governance-kinds.ts';
import { parseClientMessage } from '../../src/families/a-transactions/realtime/client-message.ts';
import { parseGovernanceMessage } from '../../src/families/g-governance/socket/governance-messages.ts';
import { tell } from '../../src/services/governance/governance-events.ts';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';

const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
/** Enough for progress to be told of (services/contracts/contract-progress.ts). */
const MANY_OUTCOMES = Array.from({ length: 600 }, (_, at) => `outcome ${at}`);

let service: TestApp;
let document: Json;
let origin: string;
beforeAll(async () => {
  service = await startTestApp();
  origin = (await service.listen()).replace('http', 'ws');
  document = (await service.get('/asyncapi.json', { apiKey: null })).body;
});
afterAll(() => service?.close());

/** The named thing that a reference of the document points to. */
const pointedTo = ({ $ref }: Json): Json =>
  $ref
    .slice(2)
    .split('/')
    .reduce((place: Json, name: string) => place[name], document);

const FORMATS = { 'date-time': (text: string) => new Date(text).toISOString() === text };
const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true, formats: FORMATS });

/** Before the names of what is said on its socket. */
const GOVERNANCE = 'governance-';

function check(message: Json, prefix = ''): void {
  const described = document.components.messages[prefix + message.type];
  expect(described, `${message.type} is described`).toBeDefined();
  expect(ajv.validate(described.payload, message), `${ajv.errorsText()}: ${JSON.stringify(message)}`).toBe(true);
}

describe('/asyncapi.json', () => {
  it('is a valid AsyncAPI 3.0 document', () => {
    const specification = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json');
    const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(specification);
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...document, chanels: {} })).toBe(false);
  });

  it('has no reference that leads nowhere, and every message in an operation or an answer', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref]) => ({ $ref }));
    expect(references.length).toBeGreaterThan(30);
    for (const reference of references) expect(pointedTo(reference), reference.$ref).toBeDefined();
    const said = Object.values<Json>(document.operations).flatMap(({ messages, reply }) => [
      ...messages,
      ...(reply?.messages ?? []),
    ]);
    const found = new Set(said.map(({ $ref }) => pointedTo({ $ref }).$ref.split('/').at(-1)));
    expect([...found].sort()).toEqual(Object.keys(document.components.messages).sort());
    for (const [channel, { address, messages }] of Object.entries<Json>(document.channels)) {
      expect(service.app.http.hasRoute({ method: 'GET', url: address })).toBe(true);
      const own = said.map(({ $ref }) => $ref.split('/')).filter(([, , name]) => name === channel);
      expect(Object.keys(messages).sort()).toEqual([...new Set(own.map((parts) => parts.at(-1)))].sort());
    }
  });

  it('gives examples that fit, those of a client being taken as they are', () => {
    for (const [name, { examples }] of Object.entries<Json>(document.components.messages)) {
      const prefix = name.startsWith(GOVERNANCE) ? GOVERNANCE : '';
      expect(prefix + examples[0].payload.type).toBe(name);
      check(examples[0].payload, prefix);
    }
    for (const { action, channel, messages } of Object.values<Json>(document.operations)) {
      const { payload } = pointedTo(pointedTo(messages[0])).examples[0];
      const parse = channel.$ref.endsWith('governance') ? parseGovernanceMessage : parseClientMessage;
      if (action === 'receive') expect(parse(JSON.stringify(payload)).type).toBe(payload.type);
    }
  });

  it('refuses what the service refuses', () => {
    const { payload } = document.components.messages.auth;
    for (const credentials of [{}, { api_key: 'a', access_token: 'b' }, { password: 'c' }]) {
      const message = { type: 'auth', ...credentials };
      expect(ajv.validate(payload, message)).toBe(false);
      expect(() => parseClientMessage(JSON.stringify(message))).toThrow();
    }
  });

  it('describes all that a client hears while a contract is made, settled and taken back by a reorganization', async () => {
    await fundWallet();
    const client = await connect();
    client.say({ type: 'subscribe', channel: 'blocks' });
    client.say({ type: 'auth', api_key: service.adminKey });
    for (const channel of SOCKET_CHANNELS) client.say({ type: 'subscribe', channel });
    client.say({ type: 'subscribe', channel: 'weather' });
    client.say({ type: 'ping' });
    await client.heard((message) => message.type === 'pong');

    // Its own security notice.
    await posted('/api/v1/api-keys', { name: 'reader', scopes: ['wallets:read'] });
    await client.heard(({ type }) => type === 'notification');

    const terms = { type: 'dlc', oracle: 'local', outcomes: MANY_OUTCOMES, collateral: '0.1' };
    const { contract_id } = await posted('/api/v1/contracts', terms);
    const reaches = (status: string) =>
      client.heard(
        ({ type, data }) => type === 'contract' && data.contract_id === contract_id && data.status === status,
      );
    await reaches('funded');
    await mine(1);
    await reaches('confirmed');
    const executed = await service.call('PUT', `/api/v1/contracts/${contract_id}/execute`, {
      outcome: MANY_OUTCOMES[7],
    });
    expect(executed.status, executed.text).toBe(200);
    // The CET is in the mempool then.
    await reaches('executed');
    await mine(1);
    await reaches('closed');
    await service.simulated.reorganize(1);
    for (const type of ['block', 'transaction', 'contract']) {
      await client.heard((message) => message.type === type && message.retracts !== undefined);
    }
    await service.synced();

    // What was told so far is forgotten: whoever resumes from before it is told of the gap.
    await service.app.store.write((tx) => tx.events.deleteOlderThan(Date.now() + 1));
    client.say({ type: 'subscribe', channel: 'contracts', after: 0 });
    client.say({ type: 'unsubscribe', channel: 'contracts' });
    await client.heard((message) => message.type === 'unsubscribed');
    client.close();

    const { messages } = client;
    for (const message of messages) check(message);
    const spoken = new Set(messages.map(({ type }) => type));
    const ofThis = Object.values<Json>(document.operations).filter(({ channel }) => channel.$ref.endsWith('updates'));
    const described = ofThis.flatMap(({ action, messages: own, reply }) => (action === 'send' ? own : reply.messages));
    expect([...spoken].sort()).toEqual([...new Set(described.map(({ $ref }) => $ref.split('/').at(-1)))].sort());
    expect(messages.filter(({ type }) => type === 'error').map(({ error }) => error.code)).toEqual([
      'unauthorized',
      'invalid_request',
    ]);
    expect(messages.some(({ data }) => data?.progress?.total === 600)).toBe(true);
  });
});

it('describes all that a client of governance hears', async () => {
  const client = await connect('/v1/governance/ws');
  for (const message of [{ type: 'subscribe' }, { type: 'auth', api_key: service.adminKey }, { type: 'subscribe' }])
    client.say(message);
  await client.heard(({ type }) => type === 'subscribed');
  const events = Object.entries(GOVERNANCE_KINDS).map(([event, { example }]) => ({ event, ...example }));
  const told = (event: GovernanceEvent) => service.app.store.write((tx) => tell(tx, service.accountId, event));
  for (const event of events) await told(event as GovernanceEvent);
  await client.heard(({ type }) => type === events.at(-1)?.event);
  await service.app.store.write((tx) => tx.events.deleteOlderThan(Date.now() + 1));
  client.say({ type: 'subscribe', after: 0 });
  client.say({ type: 'ping' });
  client.say({ type: 'unsubscribe' });
  await client.heard(({ type }) => type === 'unsubscribed');
  client.close();
  for (const message of client.messages) check(message, GOVERNANCE);
  const spoken = new Set(client.messages.map(({ type }) => type));
  const described = Object.values<Json>(document.operations)
    .filter(({ channel }) => channel.$ref.endsWith('governance'))
    .flatMap(({ action, messages: own, reply }) => (action === 'send' ? own : reply.messages));
  expect([...spoken].sort()).toEqual([...new Set(described.map(({ $ref }) => $ref.split('/').at(-1)))].sort());
});

/** Nothing that is waited for comes of what was refused. */
async function posted(path: string, body?: Json): Promise<Json> {
  const answer = await service.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

async function mine(count: number, address = ELSEWHERE): Promise<void> {
  await posted('/api/v1/bitcoin/blocks', { count, address });
  await service.synced();
}

async function fundWallet(): Promise<void> {
  const wallet = { name: 'w', type: 'segwit', backup_type: 'none' };
  const { wallet_id } = await posted('/api/v1/wallets', wallet);
  const { address } = await posted(`/api/v1/wallets/${wallet_id}/addresses`);
  await mine(1, address);
  await mine(100);
}

/** A client that keeps all that it hears. */
async function connect(path = '/v1/ws') {
  const socket = new WebSocket(origin + path);
  const messages: Json[] = [];
  let wake = () => {};
  let closed: string | null = null;
  socket.addEventListener('message', ({ data }) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  socket.addEventListener('close', ({ code, reason }) => {
    closed = `${code} ${reason}`;
    wake();
  });
  await new Promise<unknown>((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  return {
    messages,
    say: (message: object) => socket.send(JSON.stringify(message)),
    async heard(wanted: (message: Json) => boolean): Promise<void> {
      while (!messages.some(wanted)) {
        if (closed !== null) throw new Error(`the socket was closed: ${closed}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close: () => socket.close(),
  };
}
