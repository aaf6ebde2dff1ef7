/** Governance tokens: whole numbers of their smallest unit, of which a token has 10^8. */
import { formatBtc } from '../amount.ts';
import type { Brand } from '../brand.ts';
import { DomainError } from '../errors.ts';
import { numberHint } from '../number-text.ts';

export type Tokens = Brand<bigint, 'Tokens'>;

/** Why what a holder has changes. */
export const ENTRY_TYPES = ['genesis', 'mint', 'burn', 'transfer', 'delegate', 'undelegate'] as const;

export const tokens = (units: bigint): Tokens => units as Tokens;
const ONE_TOKEN = 100_000_000n;
const MAX_WHOLE = 2n ** 53n - 1n;

export const NO_TOKENS = tokens(0n);
export const MAX_SUPPLY = tokens(MAX_WHOLE * ONE_TOKEN);
/** What a DAO begins with. */
export const FIRST_MINT = tokens(1_000_000n * ONE_TOKEN);

/** Power is counted in these: fractions have none. */
export const wholeTokens = (amount: Tokens): bigint => amount / ONE_TOKEN;
export const unitsOfWhole = (whole: bigint): Tokens => tokens(whole * ONE_TOKEN);

/** Why a text is not an amount of tokens; null when it is one. */
export function tokensProblem(text: string): string | null {
  if (!/^\d{1,16}(\.\d+)?$/.test(text))
    return `must be a decimal amount of tokens${numberHint(text) ?? ' such as "250.5"'}`;
  if (!/^\d+(\.\d{1,8})?$/.test(text)) return 'must have at most 8 decimals';
  return unitsOf(text) <= MAX_SUPPLY ? null : `must be at most ${MAX_WHOLE}`;
}

/** Throws `invalid_amount`. */
export function parseTokens(text: string): Tokens {
  const problem = tokensProblem(text);
  if (problem !== null) throw new DomainError('invalid_amount', problem);
  return unitsOf(text);
}

/** With exactly 8 decimals; what is taken away has a minus sign. */
export const formatTokens = (amount: Tokens): string => formatBtc(amount);

/** Of a decimal amount, however large. */
export function unitsOf(text: string): Tokens {
  const [whole = '0', fraction = ''] = text.split('.');
  return tokens(BigInt(whole) * ONE_TOKEN + BigInt(fraction.padEnd(8, '0')));
}
