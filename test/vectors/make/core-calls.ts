/** Figures of Bitcoin Core's tests that are calls in C++: their texts, numbers and lists, as JSON. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Argument = string | readonly Argument[];

/** Arguments of every call of `names` at the beginning of a statement; texts are told from code by a " before them. */
function callsOf(core: string, file: string, names: readonly string[]): { name: string; given: Argument[] }[] {
  const text = readFileSync(join(core, 'src/test', file), 'utf8');
  const starts = text.matchAll(new RegExp(`^ +(${names.join('|')})\\(`, 'gm'));
  return [...starts].map((found) => ({
    name: found[1] as string,
    given: argumentsAt(text, found.index + found[0].length),
  }));
}

function argumentsAt(text: string, start: number): Argument[] {
  let at = start;
  const read = (close: string): Argument[] => {
    const list: Argument[] = [];
    let code = '';
    let value: Argument | null = null;
    for (; ; at++) {
      const rest = text.slice(at, at + 2);
      const character = text[at];
      if (character === undefined) throw new Error('a call does not end');
      if (character === '"') {
        const [whole] = /^"(?:[^"\\]|\\.)*"/.exec(text.slice(at)) as RegExpExecArray;
        value = `${value ?? '"'}${JSON.parse(whole.replaceAll("\\'", "'"))}`;
        at += whole.length - 1;
      } else if (rest === '/*') at = text.indexOf('*/', at) + 1;
      else if (rest === '//') at = text.indexOf('\n', at);
      else if (character === '{' || character === '(') {
        at++;
        value = read(character === '{' ? '}' : ')');
      } else if (character === ',' || character === close) {
        if (value !== null || code.trim() !== '') list.push(value ?? code.trim());
        [code, value] = ['', null];
        if (character === close) return list;
      } else code += character;
    }
  };
  return read(')');
}

const isText = (argument: Argument | undefined): argument is string =>
  typeof argument === 'string' && argument.startsWith('"');

const MODES = { NONMAL: 'nonmalleable', NEEDSIG: 'signed', TIMELOCKMIX: 'mixed' };

/** `?`: a script that is not looked at; `!`: invalid there. */
export function miniscriptRows(core: string): string[][] {
  return callsOf(core, 'miniscript_tests.cpp', ['Test']).flatMap(({ given }) => {
    const texts = given.filter(isText).map((text) => text.slice(1));
    const modes = given.filter((one) => typeof one === 'string' && one.includes('TESTMODE')).join(' ');
    const [expression, wsh] = texts;
    if (texts.length !== 3 || modes === '' || /[ ]/.test(expression as string)) return [];
    const tapscript = texts[2] === '=' ? wsh : texts[2];
    const never = modes === 'TESTMODE_INVALID';
    const properties = Object.entries(MODES).flatMap(([mode, name]) => (modes.includes(mode) ? [name] : []));
    return [
      [
        never || modes.includes('P2WSH_INVALID') ? '!' : (wsh as string),
        never || modes.includes('TAPSCRIPT_INVALID') ? '!' : (tapscript as string),
        properties.join(','),
        expression as string,
      ],
    ];
  });
}

/** The public form of each descriptor: scripts of an index joined by commas, indexes by semicolons, paths of one with several by bars. */
export function descriptorRows(core: string): string[][] {
  return callsOf(core, 'descriptor_tests.cpp', ['Check', 'CheckMultipath', 'CheckUnparsable']).flatMap(
    ({ name, given }) => {
      if (name === 'CheckUnparsable') {
        const [, pub] = given;
        return isText(pub) ? [['invalid', '', pub.slice(1)]] : [];
      }
      const multipath = name === 'CheckMultipath';
      const [pub, flags, scripts] = multipath ? [given[1], given[5], given[6]] : [given[1], given[3], [given[4]]];
      if (!isText(pub) || !Array.isArray(scripts)) return [];
      const paths = (scripts as string[][][][]).map((indexes) =>
        indexes.map((one) => one.map((script) => script.slice(1)).join(',')).join(';'),
      );
      const kind = String(flags).includes('HARDENED')
        ? 'hardened'
        : String(flags).includes('RANGE')
          ? 'ranged'
          : 'single';
      return [[kind, paths.join('|'), pub.slice(1)]];
    },
  );
}
