/** The channel `contracts` over a real socket: every transition, what was missed, and what a reorganization takes back. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';

const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

let service: TestApp;
let url: string;

beforeAll(async () => {
  service = await startTestApp();
  url = `${(await service.listen()).replace('http', 'ws')}/v1/ws`;
  const { wallet_id } = (await service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' }))
    .body;
  const { address } = (await service.post(`/api/v1/wallets/${wallet_id}/addresses`)).body;
  await mine(1, address);
  await mine(100);
});
afterAll(() => service?.close());

async function mine(count: number, address = ELSEWHERE): Promise<void> {
  await service.post('/api/v1/bitcoin/blocks', { count, address });
  await service.synced();
}

interface Listener {
  readonly updates: Json[];
  /** The updates, once there are as many. */
  until(reached: (updates: Json[]) => boolean): Promise<Json[]>;
  close(): void;
}

/** Listens as a client would; `after` asks for what was missed. */
async function listen(apiKey: string, after?: number): Promise<Listener> {
  const socket = new WebSocket(url);
  const updates: Json[] = [];
  let wake = () => {};
  const subscribed = new Promise<void>((resolve, reject) => {
    socket.addEventListener('error', reject);
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.type === 'subscribed') resolve();
      if (message.type === 'contract') updates.push(message);
      wake();
    });
  });
  socket.addEventListener('open', () => {
    socket.send(JSON.stringify({ type: 'auth', api_key: apiKey }));
    socket.send(JSON.stringify({ type: 'subscribe', channel: 'contracts', ...(after === undefined ? {} : { after }) }));
  });
  await subscribed;
  return {
    updates,
    async until(reached) {
      while (!reached(updates)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return updates;
    },
    close: () => socket.close(),
  };
}

const statuses = (updates: Json[]): string[] => updates.map(({ data }) => data.status);

it('tells each transition in order, once, to its account alone, again from where one was, and takes back what a block leaves', async () => {
  const other = await service.anotherAccount();
  const [ours, theirs] = [await listen(service.adminKey), await listen(other.apiKey)];
  const made = await service.post('/api/v1/contracts', {
    type: 'dlc',
    oracle: 'local',
    outcomes: ['win', 'lose'],
    collateral: '0.1',
  });
  expect(made.body.status, made.text).toBe('funded');
  const { contract_id } = made.body;
  await mine(1);
  await ours.until((updates) => statuses(updates).includes('confirmed'));
  expect(statuses(ours.updates)).toEqual(['offered', 'accepted', 'signed', 'funded', 'confirmed']);
  const confirmed = ours.updates.at(-1);
  expect(confirmed).toMatchObject({ channel: 'contracts', data: { contract_id, outcome: null } });

  await service.call('PUT', `/api/v1/contracts/${contract_id}/execute`, { outcome: 'win' });
  await mine(1);
  await ours.until((updates) => statuses(updates).includes('closed'));
  expect(ours.updates.slice(5)).toMatchObject([
    { data: { contract_id, status: 'executed', outcome: 'win' } },
    { data: { contract_id, status: 'closed', outcome: 'win' } },
  ]);
  const closed = ours.updates.at(-1);

  // The block with the CET leaves the chain.
  await service.simulated.reorganize(1);
  await service.synced();
  await ours.until((updates) => updates.length > 7);
  expect(ours.updates[7]).toMatchObject({ data: { contract_id, status: 'executed' }, retracts: closed.seq });

  const resumed = await listen(service.adminKey, confirmed.seq);
  await resumed.until((updates) => updates.length >= 3);
  expect(resumed.updates.slice(0, 3)).toEqual(ours.updates.slice(5, 8));
  const seqs = ours.updates.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  expect(theirs.updates).toEqual([]);
  for (const listener of [ours, theirs, resumed]) listener.close();
});
