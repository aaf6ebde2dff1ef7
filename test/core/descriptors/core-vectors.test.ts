/** Bitcoin Core's descriptors and miniscripts: the scripts that they come to, and what is refused. */
import { expect, it } from 'vitest';
import { analyzeMiniscript } from '../../../src/core/descriptors/analyze-miniscript.ts';
import { compileMiniscript } from '../../../src/core/descriptors/compile-miniscript.ts';
import { openDescriptor } from '../../../src/core/descriptors/describe-descriptor.ts';
import { scriptsAt } from '../../../src/core/descriptors/descriptor-scripts.ts';
import { parseKey } from '../../../src/core/descriptors/musig-key.ts';
import { parseMiniscript } from '../../../src/core/descriptors/parse-miniscript.ts';
import { DomainError } from '../../../src/core/errors.ts';
import { vectorLines, vectorRows } from '../../vectors/rows.ts';

/** As a row says it: scripts of an index by commas, indexes by semicolons, paths of one descriptor by bars. */
function outcomeOf(descriptor: string, indexes: number): string {
  try {
    const nodes = openDescriptor(descriptor, 'mainnet');
    const scriptsOf = (node: (typeof nodes)[number], index: number) =>
      scriptsAt(node, index)
        .map(({ scriptPubKey }) => scriptPubKey.toString('hex'))
        .join(',');
    return nodes
      .map((node) => Array.from({ length: indexes }, (_, index) => scriptsOf(node, index)).join(';'))
      .join('|');
  } catch (error) {
    if (error instanceof DomainError) return `refused: ${error.message}`;
    throw error;
  }
}

it('descriptors come to the scripts of Bitcoin Core, or are refused as there', () => {
  const rows = vectorLines('core-descriptors').map((line) => {
    const [, kind, scripts, descriptor] = /^(\S+) (\S+) (.*)$/.exec(line) as unknown as [
      string,
      string,
      string,
      string,
    ];
    return { kind, scripts, descriptor };
  });
  const wrong = rows.filter(({ kind, scripts, descriptor }) => {
    const indexes = (scripts.split('|')[0] as string).split(';').length;
    const outcome = outcomeOf(descriptor, indexes);
    return kind === 'single' || kind === 'ranged' ? outcome !== scripts : !outcome.startsWith('refused');
  });
  expect(wrong.map((row) => `${row.kind} ${row.descriptor} ${outcomeOf(row.descriptor, 1).slice(0, 100)}`)).toEqual([]);
});

it('miniscripts come to the scripts of Bitcoin Core with its properties, or are refused as there', () => {
  const wrong = vectorRows('core-miniscripts').flatMap(([wsh = '', leaf = '', properties = '', expression = '']) =>
    [false, true].flatMap((tapscript) => {
      const expected = tapscript ? leaf : wsh;
      const outcome = miniscriptOf(expression, tapscript);
      const right =
        expected === '!'
          ? outcome.startsWith('refused')
          : outcome === `${expected === '?' ? outcome.split(' ')[0] : expected} ${properties}`;
      return right ? [] : [`${tapscript} ${expression} ${expected} ${properties} ${outcome}`];
    }),
  );
  expect(wrong).toEqual([]);
});

function miniscriptOf(expression: string, tapscript: boolean): string {
  try {
    const key = (text: string) =>
      parseKey(tapscript ? text.slice(2) : text, tapscript ? 'x-only' : 'compressed', 'mainnet');
    const root = parseMiniscript(expression, { tapscript, key });
    const { nonMalleable, needsSignature, mixesTimelocks } = analyzeMiniscript(root, tapscript);
    const properties = Object.entries({ nonmalleable: nonMalleable, signed: needsSignature, mixed: mixesTimelocks });
    const holding = properties.filter(([, holds]) => holds).map(([name]) => name);
    return `${compileMiniscript(root, 0, tapscript).toString('hex')} ${holding.join(',')}`;
  } catch (error) {
    if (error instanceof DomainError) return `refused: ${error.message}`;
    throw error;
  }
}
