import { HEX } from '../bytes.ts';
import { DomainError } from '../errors.ts';
import { opcodeOf } from './opcodes.ts';
import { pushData, pushNumber } from './push.ts';

const MAX_WORDS = 20_000;
/** Core takes numbers of up to 4 bytes in text. */
const MAX_NUMBER = 2_147_483_647;

/**
 * A script of words separated by white space, as Core's decodescript writes them: opcodes by name, decimal numbers, and hex that is
 * pushed, each push in its shortest form. Throws `invalid_script` naming the word by its position.
 */
export function assembleScript(asm: string): Buffer {
  const words = asm.split(/\s+/).filter((word) => word !== '');
  if (words.length > MAX_WORDS) throw new DomainError('invalid_script', `a script has at most ${MAX_WORDS} words here`);
  return Buffer.concat(words.map(assembleWord));
}

function assembleWord(word: string, position: number): Buffer {
  const named = opcodeOf(word);
  if (named !== null) return Buffer.of(named);
  // Core writes pushes of 5 bytes and more as hex: a run of digits that long is data.
  if (/^-?(0|[1-9]\d{0,9})$/.test(word) && Math.abs(Number(word)) <= MAX_NUMBER && word !== '-0')
    return pushNumber(Number(word));
  if (HEX.test(word)) return pushData(Buffer.from(word, 'hex'));
  throw new DomainError(
    'invalid_script',
    `word ${position + 1} is no opcode (OP_DUP), no number between -${MAX_NUMBER} and ${MAX_NUMBER}, and no hex`,
  );
}
