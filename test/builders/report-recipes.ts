/** Reports that are made, for tests of what is done with them. */
import { expect } from 'vitest';
import type { Json, TestAnswer } from './app.ts';
import type { Recipe } from './operation-recipes.ts';

type Kind = 'analytics' | 'compliance';
type Call = (method: string, path: string, body?: Json) => Promise<TestAnswer>;

/** Asks for a report, and waits until it is done. */
export async function madeReport(call: Call, kind: Kind, body: Json) {
  const asked = await call('POST', `/api/v1/${kind}/report`, body);
  expect(asked.status, asked.text).toBe(202);
  const path = `/api/v1/${kind}/reports/${asked.body.report_id}`;
  await expect.poll(async () => (await call('GET', path)).body.status, { timeout: 60_000 }).toBe('done');
  return { path, report: (await call('GET', path)).body, content: await call('GET', `${path}/content`) };
}

const BODIES = {
  analytics: { type: 'activity', from: '2026-01-01T00:00:00Z' },
  compliance: { type: 'audit', from: '2026-01-01T00:00:00Z' },
};

const ofReport =
  (kind: Kind): Recipe =>
  async (world) => {
    const { report_id } = await world.make('POST', `/api/v1/${kind}/report`, BODIES[kind]);
    const path = `/api/v1/${kind}/reports/${report_id}`;
    await expect.poll(async () => (await world.make('GET', path)).status, { timeout: 60_000 }).toBe('done');
    return { params: { report_id } };
  };

export const REPORT_RECIPES: Readonly<Record<string, Recipe>> = Object.fromEntries(
  (['analytics', 'compliance'] as const).flatMap((kind) =>
    ['create', 'get', 'read', 'cancel'].map((verb) => [
      `${kind}-report.${verb}`,
      verb === 'create' ? async () => ({ body: BODIES[kind] }) : ofReport(kind),
    ]),
  ),
);
