/** What requests and answers of governance say. */
import { z } from 'zod';
import { formatTokens, parseTokens, type Tokens, tokens, tokensProblem } from '../../core/governance/tokens.ts';

export const tokensField = z
  .string()
  .transform((value, context): Tokens => {
    const wrong = tokensProblem(value) ?? (/[1-9]/.test(value) ? null : 'must be above 0');
    if (wrong === null) return parseTokens(value);
    context.issues.push({ code: 'custom', message: wrong, input: value });
    return z.NEVER;
  })
  .meta({ description: 'Decimal amount of tokens, at most 8 decimals', examples: ['250.5'] });

export const tokenAmount = z
  .codec(z.string().meta({ examples: ['250.50000000'] }), z.custom<Tokens>(), {
    // What is taken away has a minus sign.
    decode: (text) => (text.startsWith('-') ? tokens(-parseTokens(text.slice(1))) : parseTokens(text)),
    encode: formatTokens,
  })
  .meta({ id: 'TokenAmount', description: 'Decimal amount of tokens with 8 decimals' });

export const holderField = z
  .string()
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters')
  .meta({ description: "A holder's address, or the id of its person or API key" });

export const EXAMPLE_HOLDER = 'gov1pw4ehyhend4txyvttxagny7zewsu5cuzjwuc95ce4gypfg7jd';
