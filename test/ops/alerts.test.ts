/** The alert rules and the dashboard that are shipped: they use series that exist, and each alert says what to do. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { freePort } from '../builders/service-process.ts';

const path = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const read = (file: string): string => readFileSync(path(file), 'utf8');

const rules = parse(read('ops/prometheus/ashlar.rules.yml')).groups.flatMap(
  (group: { rules: { alert: string; expr: string; annotations: { runbook: string } }[] }) => group.rules,
);
const dashboard = JSON.parse(read('ops/grafana/ashlar.json'));
const shown: string[] = dashboard.panels.flatMap((panel: { targets: { expr: string }[] }) =>
  panel.targets.map(({ expr }) => expr),
);

let service: TestApp;
let metrics: string;

beforeAll(async () => {
  const port = await freePort();
  const upstreams = [{ name: 'local', base_url: 'http://127.0.0.1:1/v1', models: [{ name: 'tiny' }] }];
  const AI_CONFIG = join(mkdtempSync(join(tmpdir(), 'ashlar-alerts-')), 'ai.json');
  writeFileSync(AI_CONFIG, JSON.stringify({ upstreams }));
  service = await startTestApp({ env: { METRICS_PORT: String(port), AI_CONFIG }, blocks: 1, limits: true });
  await service.listen();
  await service.get('/api/v1/wallets');
  await service.get('/api/v1/wallets', { apiKey: null });
  await service.synced();
  metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
});
afterAll(() => service?.close());

/** Series with at least one value, and which labels each has. */
function series(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of metrics.matchAll(/^([a-z_][a-z0-9_]*)(?:\{(.*)\})? \S+$/gim)) {
    const known = found.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}

const namesIn = (expression: string): string[] => expression.match(/\b(?:ashlar|nodejs|process)_[a-z0-9_]+/g) ?? [];
/** Of Prometheus' own making. */
const OF_THE_SCRAPE = ['instance', 'job'];

describe('what is shipped for Prometheus and Grafana', () => {
  it('names series and labels that are served, and no other', () => {
    const known = series();
    const expressions = [...rules.map(({ expr }: { expr: string }) => expr), ...shown];
    expect(expressions.length).toBeGreaterThan(40);
    for (const expression of expressions) {
      expect(
        namesIn(expression).filter((name) => !known.has(name)),
        expression,
      ).toEqual([]);
      for (const [, name = '', selector = ''] of expression.matchAll(/\b([a-z][a-z0-9_]+)\{([^}]*)\}/g)) {
        if (name === 'up') continue;
        const labels = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)"/g)].map(([, label]) => label as string);
        const missing = labels.filter((label) => !known.get(name)?.has(label) && !OF_THE_SCRAPE.includes(label));
        expect(missing, expression).toEqual([]);
      }
    }
  });

  it('has a panel or a rule for every series of ours that is not told of elsewhere', () => {
    const used = new Set([...rules.map(({ expr }: { expr: string }) => expr), ...shown].flatMap(namesIn));
    const ours = [...series().keys()].filter((name) => name.startsWith('ashlar_'));
    const documented = read('docs/operating.md');
    const unknown = ours.filter((name) => {
      const base = name.replace(/_(bucket|count|sum)$/, '');
      return !used.has(name) && !documented.includes(base);
    });
    expect(unknown).toEqual([]);
  });

  it('shows approvals, rules, webhooks and connections on the dashboard', () => {
    const onBoard = new Set(shown.flatMap(namesIn));
    const ours = [...series().keys()].filter((name) => /^ashlar_(approvals|replays|webhook|connection)/.test(name));
    expect(ours.length).toBeGreaterThanOrEqual(10);
    expect(ours.filter((name) => !onBoard.has(name))).toEqual([]);
    expect(shown.join()).toContain('policy_denied');
  });

  it('has a section of docs/operating.md for each alert, with its expression and what to do', () => {
    const guide = read('docs/operating.md');
    for (const { alert, expr, annotations } of rules) {
      expect(annotations.runbook).toBe(`docs/operating.md#${alert.toLowerCase()}`);
      const [, section = ''] = guide.split(`\n### ${alert}\n`);
      expect(section.split('\n#')[0], alert).toContain(`\`${expr}\``);
      expect(section.split('\n#')[0], alert).toMatch(/\*\*Do:\*\* \S/);
    }
    const sections = [...guide.matchAll(/^### (Ashlar\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(rules.map(({ alert }: { alert: string }) => alert));
  });
});

const promtool = spawnSync('promtool', ['--version']).status === 0;

describe('promtool', () => {
  const run = (args: string[], input?: string) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', ...(input ? { input } : {}) });
    return { status, said: stdout + stderr };
  };

  it('takes the rules, and they alarm when they should and not otherwise', (test) => {
    if (!promtool) return test.skip('there is no promtool on the PATH (Debian: apt-get install prometheus)');
    expect(run(['check', 'rules', path('ops/prometheus/ashlar.rules.yml')])).toMatchObject({ status: 0 });
    expect(run(['test', 'rules', path('ops/prometheus/ashlar.rules.test.yml')])).toMatchObject({ status: 0 });
  });

  it('finds nothing to object to in the names of the series', (test) => {
    if (!promtool) return test.skip('there is no promtool on the PATH (Debian: apt-get install prometheus)');
    expect(run(['check', 'metrics'], metrics)).toEqual({ status: 0, said: '' });
  });
});
