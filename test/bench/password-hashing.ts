/**
 * Passwords off the event loop: its lag (p50, p99, worst) while the process is idle, while logins come as fast as they are answered, and
 * while more come than are taken; logins per second; and milliseconds of one hash at several costs. Every login is a request over a real
 * port, from a neighbourhood of its own (or its failures would slow it down), half of them with a wrong password. Run: node test/bench/password-hashing.ts [SECONDS]
 */
import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { createPasswords } from '../../src/services/users/passwords.ts';
import { startTestApp } from '../builders/app.ts';

const whose = { accountId: 'acc_bench' };

const SECONDS = Number(process.argv[2] ?? 8);
const PASSWORD = 'correct horse battery staple';
const PEOPLE = 200;

console.log('one hash at a time: KiB, passes, ms');
for (const [memoryKib, passes] of [
  [19_456, 2],
  [47_104, 1],
  [47_104, 2],
  [65_536, 3],
] as const) {
  const passwords = createPasswords({ cost: { memoryKib, passes, parallelism: 1 }, randomBytes });
  await passwords.hash(PASSWORD, whose);
  const start = performance.now();
  for (let i = 0; i < 5; i++) await passwords.hash(PASSWORD, whose);
  console.log(`  ${memoryKib} ${passes} ${((performance.now() - start) / 5).toFixed(0)}`);
}

const app = await startTestApp({ log: pino({ level: 'silent' }), env: { TRUST_PROXY: '127.0.0.1' } });
const cheap = await createPasswords({ cost: { memoryKib: 47_104, passes: 2, parallelism: 1 }, randomBytes }).hash(
  PASSWORD,
  whose,
);
await app.app.store.write(async (tx) => {
  for (let i = 0; i < PEOPLE; i++) {
    const at = Date.now();
    await tx.users.insert(
      {
        userId: `usr_${i}`,
        accountId: app.accountId,
        username: `person-${i}`,
        email: null,
        name: null,
        role: 'viewer',
        scopes: ['wallets:read'],
        tier: 'standard',
        expiresAt: null,
        allowedIps: null,
        mayGrant: false,
        hadRights: null,
        setByRights: null,
        passwordHash: cheap,
        passwordChangedAt: at,
        totpSecret: null,
        totpConfirmedAt: null,
        emailVerifiedAt: null,
        totpLastStep: 0,
        disabledAt: null,
        deletedAt: null,
        lastLoginAt: null,
        createdAt: at,
        updatedAt: at,
      },
      { username: `person-${i}`, email: null },
    );
  }
});
const origin = await app.listen();

/** Callers in a thread of their own: what they compute is not the service's lag. */
const CALLERS = `
const { parentPort, workerData } = require('node:worker_threads');
const { origin, callers, people, password, seconds } = workerData;
const until = Date.now() + seconds * 1000;
const counts = {};
let next = 0;
(async () => {
  await Promise.all(Array.from({ length: callers }, async () => {
    while (Date.now() < until) {
      const i = next++;
      const right = i % 2 === 0;
      const body = JSON.stringify({ username: 'person-' + (i % people), password: right ? password : 'wrong ' + i });
      const response = await fetch(origin + '/api/v1/auth/login', {
        method: 'POST', headers: { 'content-type': 'application/json', 'x-forwarded-for': '10.' + ((i >> 8) & 255) + '.' + (i & 255) + '.1' }, body,
      });
      await response.arrayBuffer();
      counts[response.status] = (counts[response.status] ?? 0) + 1;
    }
  }));
  parentPort.postMessage(counts);
})();
`;

async function lagWhile(name: string, work: () => Promise<Record<string, number>>): Promise<void> {
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  const start = performance.now();
  const counts = await work();
  const seconds = (performance.now() - start) / 1000;
  lag.disable();
  const ms = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(1).padStart(6);
  const rates = Object.entries(counts).map(([status, count]) => `${status}: ${(count / seconds).toFixed(1)}/s`);
  console.log(
    `${name.padEnd(26)} p50 ${ms(lag.percentile(50))} p99 ${ms(lag.percentile(99))} worst ${ms(lag.max)} ms  ${rates.join(', ')}`,
  );
}

const logins = (callers: number) => () =>
  new Promise<Record<string, number>>((resolve, reject) => {
    const workerData = { origin, callers, people: PEOPLE, password: PASSWORD, seconds: SECONDS };
    new Worker(CALLERS, { eval: true, workerData }).on('message', resolve).on('error', reject);
  });

console.log('\nlag of the event loop');
await lagWhile('idle', async () => {
  await sleep(SECONDS * 1000);
  return {};
});
await lagWhile('logins, 8 callers', logins(8));
await lagWhile('logins, 64 callers', logins(64));
await app.close();
