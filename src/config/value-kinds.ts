/** What variables hold: each kind checks a text, and says what would be right. */
import { isIP } from 'node:net';
import { z } from 'zod';

export const port = (what: string) =>
  z
    .string()
    .regex(/^\d{1,5}$/, `must be ${what} from 0 to 65535`)
    .transform(Number)
    .refine((value) => value <= 65_535, `must be ${what} from 0 to 65535`);

export const count = (what: string) =>
  z
    .string()
    .regex(/^\d{1,7}$/, `must be a number of ${what} up to 9999999, or 0 for no bound`)
    .transform(Number);

export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`);

export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values as unknown as [T[number], ...T[number][]], { error: `must be one of ${values.join(', ')}` });

/** A URL of certain schemes. The message never repeats the value: it may carry a password. */
export const url = (schemes: readonly string[], example: string) =>
  z.string().transform((value, context) => {
    const parsed = URL.canParse(value) ? new URL(value) : null;
    if (parsed !== null && schemes.includes(parsed.protocol.slice(0, -1)) && parsed.hostname !== '') return value;
    context.issues.push({ code: 'custom', message: `must be a URL such as ${example}`, input: value });
    return z.NEVER;
  });

export const jsonObject = (example: string) =>
  z.string().transform((value, context): Readonly<Record<string, unknown>> => {
    try {
      const parsed: unknown = JSON.parse(value);
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
    } catch {}
    context.issues.push({ code: 'custom', message: `must be a JSON object such as ${example}`, input: value });
    return z.NEVER;
  });

export const commaList = (check: (entry: string) => boolean, message: string) =>
  z
    .string()
    .transform((value) => value.split(',').map((entry) => entry.trim()))
    .refine((entries) => entries.every(check), message);

export const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;

export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32));
}

export const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

export const isHost = (text: string): boolean =>
  isNetwork(text) || /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text);

export const isDomain = (text: string): boolean =>
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i.test(text);

/** A name without what quotes or folds, and an address. */
export const MAILBOX =
  /^(?:([^\p{Cc}"<>@,;:\\]*?)\s*<([^\s<>@,;:"\\]+@[^\s<>@,;:"\\]+)>|([^\s<>@,;:"\\]+@[^\s<>@,;:"\\]+))$/u;

export const isZmq = (text: string): boolean => /^(tcp|ipc):\/\/\S+$/.test(text);

export function decodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
