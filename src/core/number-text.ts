/** How a text that is no decimal number is to be written so that it is one, as the end of "must be a decimal …"; null where nobody can tell. */
export function numberHint(text: string): string | null {
  const blanks = text.length <= MAX_LENGTH ? text.trim() : text;
  if (blanks !== text && NUMBER.test(blanks)) return `, without blanks around it: "${blanks}"`;
  if (/^\d{1,16},\d{1,16}$/.test(text)) return `, with a point instead of a comma: "${text.replace(',', '.')}"`;
  const [, alone] = /^(\d{1,16}(?:\.\d{1,16})?) ?[a-zA-Z₿][a-zA-Z/]{0,15}$/.exec(text) ?? [];
  if (alone !== undefined) return `, without a unit: "${alone}"`;
  if (/^\d{1,16}(\.\d{1,16})?[eE][+-]?\d{1,3}$/.test(text)) return ' written out, without an exponent';
  if (/^-\d/.test(text)) return ', and not negative';
  const [, digits] = /^\+?(\d*\.?\d+)$/.exec(text.slice(0, MAX_LENGTH)) ?? [];
  return digits === undefined ? null : `, with digits before its point and no sign: "${digits.replace(/^\./, '0.')}"`;
}

const MAX_LENGTH = 40;
const NUMBER = /^\d{1,16}(\.\d{1,16})?$/;
