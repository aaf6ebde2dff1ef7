/** Keys that count as different people, and requests of theirs that are asked until they are answered. */
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { CLI } from '../../builders/built.ts';
import { childEnvironment } from '../../builders/child-environment.ts';
import { eventually, type ServiceProcess } from '../../builders/service-process.ts';
import { type Answered, type Caller, type Credentials, createCaller, type Wanted } from './caller.ts';

/** Made by nobody: each is a voice of its own. */
export function voice({ dataDir, baseUrl }: ServiceProcess, name: string): Caller {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [CLI, 'keys', 'create', '--name', name, '--tier', 'enterprise', '--scope', '*'],
    { encoding: 'utf8', timeout: 60_000, env: { ...childEnvironment, DATA_DIR: dataDir, CHAIN: 'simulated' } },
  );
  expect(status, stderr).toBe(0);
  return createCaller(baseUrl, JSON.parse(stdout) as Credentials);
}

/** Under one Idempotency-Key. 503 and idempotency_in_flight say to try again. */
export async function post(by: Caller, wanted: Wanted, key: string): Promise<Answered> {
  const tried = async () => {
    const answer = await by.write(wanted, key, () => {});
    return (
      answer !== null &&
      answer.status !== 503 &&
      answer.body?.error?.details?.code !== 'idempotency_in_flight' &&
      answer
    );
  };
  const answer = await eventually(`${key} is answered`, tried);
  expect(answer.status, `${key}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer;
}
