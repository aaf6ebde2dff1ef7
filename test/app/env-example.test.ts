import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const example = [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]+)=(.*)$/gm)];

describe('.env.example', () => {
  it('names every variable that the configuration reads, and no other', () => {
    const files = ['config', 'config/chain', 'config/mail', 'config/sso', 'config/tracing'];
    const source = files.map((file) => read(`src/${file}.ts`)).join('');
    const schema = [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map(([, name]) => name);
    expect(schema.length).toBeGreaterThan(15);
    const finder = ['ASHLAR_DEBIAN_MIRROR', 'ASHLAR_DEBIAN_KEYRING'];
    expect(example.map(([, name]) => name).toSorted()).toEqual([...schema, ...finder].toSorted());
  });

  it('is a configuration as it stands', () => {
    const set = example.filter(([line]) => !line.startsWith('#')).map(([, name, value]) => [name, value]);
    expect(() => parseConfig(Object.fromEntries(set))).not.toThrow();
  });
});
