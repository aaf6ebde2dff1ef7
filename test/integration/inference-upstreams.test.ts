/** AI_CONFIG in a running service, and a thousand callers that go away. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InferenceServer, startInferenceServer } from '../builders/inference-server.ts';
import { eventually, freePort, type ServiceProcess, startService } from '../builders/service-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'ashlar-ai-'));
const file = join(folder, 'ai.yaml');
const keyFile = join(folder, 'key');
const write = (server: InferenceServer, model: string): void =>
  writeFileSync(
    file,
    `upstreams: [{ name: local, base_url: "${server.baseUrl}", api_key_file: key, models: [{ name: ${model} }], max_concurrent: 50 }]`,
  );

let server: InferenceServer;
let service: ServiceProcess;
let metricsPort: number;

beforeAll(async () => {
  server = await startInferenceServer();
  metricsPort = await freePort();
  write(server, 'first');
  writeFileSync(keyFile, 'sk-hunter2-one\n', { mode: 0o600 });
  const env = { CHAIN: 'simulated', AI_CONFIG: file, METRICS_PORT: String(metricsPort) };
  service = await startService(env, { unlimited: true });
});
afterAll(async () => {
  await service?.dispose();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const metric = async (name: string) => {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return text.split('\n').find((line) => line.startsWith(name));
};
const models = async () => {
  const { body } = await service.call('GET', '/v1/ai/models');
  return body.data.map(({ id }: { id: string }) => id).filter((id: string) => !id.startsWith('ashlar-'));
};
const ask = (model: string) =>
  service.call('POST', '/v1/ai/generate', { model, messages: [{ role: 'user', content: 'hi' }] });
const reload = async (line: string) => {
  const before = service.output().length;
  process.kill(service.pid, 'SIGHUP');
  await eventually(line, async () => service.output().slice(before).includes(line));
};

it('is read again at SIGHUP, keys too; a wrong file changes nothing, and is told of', async () => {
  expect([(await ask('first')).body.choices[0].message.content, await models()]).toEqual(['Hello there.', ['first']]);
  expect(server.asked.at(-1)!.headers.authorization).toBe('Bearer sk-hunter2-one');

  write(server, 'second');
  writeFileSync(keyFile, 'sk-hunter2-two', { mode: 0o600 });
  await reload('AI_CONFIG was read again, and holds');
  expect([(await ask('second')).status, (await ask('first')).status, await models()]).toEqual([200, 404, ['second']]);
  expect(server.asked.at(-1)!.headers.authorization).toBe('Bearer sk-hunter2-two');

  write(server, 'ashlar-guide');
  await reload('the former configuration holds');
  chmodSync(keyFile, 0o644);
  write(server, 'third');
  await reload('can be read by others (mode 644): run chmod 600');
  expect([await models(), await metric('ashlar_inference_config_stale')]).toEqual([
    ['second'],
    'ashlar_inference_config_stale 1',
  ]);
  chmodSync(keyFile, 0o600);
  await reload('AI_CONFIG was read again, and holds');
  expect([await models(), await metric('ashlar_inference_config_stale')]).toEqual([
    ['third'],
    'ashlar_inference_config_stale 0',
  ]);
  expect(service.output()).not.toContain('hunter2');
});

it('ends the upstream’s work with a caller that goes away, a thousand times, and leaves no socket', async () => {
  server.answer = () => ({ content: ['a', 'b', 'c'], stallAfter: 3 });
  const cancelled = server.cancelled();
  const limits = { requests_per_minute: 1_000_000, bulk_per_minute: 1_000_000 };
  const wanted = { name: 'many', role: 'operator', scopes: ['ai:write'], tier: 'custom', limits };
  const { api_key: key } = (await service.call('POST', '/api/v1/api-keys', wanted)).body;
  const goAway = async (at: number): Promise<void> => {
    const away = new AbortController();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'third', stream: true, messages: [{ role: 'user', content: String(at) }] });
    const response = await fetch(`${service.baseUrl}/v1/ai/generate`, {
      ...{ method: 'POST', headers, body, signal: away.signal },
    });
    expect(response.status).toBe(200);
    await response.body!.getReader().read();
    away.abort();
  };
  for (let at = 0; at < 1_000; at += 25) {
    await Promise.all(Array.from({ length: 25 }, (_, of) => goAway(at + of)));
    await expect.poll(server.underWay).toBe(0);
  }
  expect(server.cancelled() - cancelled).toBe(1_000);
  await expect.poll(server.openSockets).toBe(0);
  expect(await metric('ashlar_inference_in_flight')).toBe('ashlar_inference_in_flight{upstream="local"} 0');
  server.answer = () => ({});
  expect((await ask('third')).status).toBe(200);
});
