/** The syntax below descriptors: functions with arguments in brackets. Linear; nesting is bounded. */
import { DomainError } from '../errors.ts';

/** `name(arguments)`; `inside` is the text between the brackets. null where the text has not that form. */
export function callOf(text: string): { name: string; inside: string } | null {
  const match = /^([a-z0-9_]+)\(/.exec(text);
  if (!match || !text.endsWith(')')) return null;
  return { name: match[1] as string, inside: text.slice(match[0].length, -1) };
}

/** The arguments, split at commas outside all brackets. Throws `invalid_descriptor` where brackets do not match. */
export function argumentsOf(inside: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < inside.length; at++) {
    const character = inside[at];
    if (character === '(' || character === '{') depth += 1;
    else if (character === ')' || character === '}') depth -= 1;
    else if (character === ',' && depth === 0) {
      parts.push(inside.slice(from, at));
      from = at + 1;
    }
    if (depth < 0) throw new DomainError('invalid_descriptor', 'the brackets of the descriptor do not match');
  }
  if (depth !== 0) throw new DomainError('invalid_descriptor', 'the brackets of the descriptor do not match');
  parts.push(inside.slice(from));
  return parts;
}

/** A whole number in plain digits within [least, most]. Throws `invalid_descriptor`. */
export function numberArgument(text: string | undefined, what: string, least: number, most: number): number {
  const value = /^(0|[1-9]\d{0,9})$/.test(text ?? '') ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw new DomainError('invalid_descriptor', `${what} must be a whole number between ${least} and ${most}`);
  }
  return value;
}
