/** Takes the values of secret fields out of what is to be logged, however deep they are. */
const SECRET_FIELDS = new Set([
  'authorization',
  'api_key',
  'apiKey',
  'access_token',
  'accessToken',
  'refresh_token',
  'refreshToken',
  'client_secret',
  'clientSecret',
  'id_token',
  'reset_token',
  'resetToken',
  'token',
  'cookie',
  'mnemonic',
  'seed',
  'passphrase',
  'backup',
  'backup_passphrase',
  'private_key',
  'privateKey',
  'privateJwk',
  'd',
  'key',
  'wif',
  'xprv',
  'secret',
  'totp',
  'totp_secret',
  'password',
  'new_password',
  'newPassword',
  'current_password',
  'currentPassword',
]);
const CENSORED = '[secret]';
/** Nothing that is logged is deeper; what is gets left out. */
const DEEPEST = 6;

/**
 * The object itself where it holds nothing secret, else a copy without it. Written by hand because pino's own redaction of wildcard
 * paths copies and walks every value by every path: that made a log line dearer than the request it tells of.
 */
export function censor(object: Record<string, unknown>, depth = 0): Record<string, unknown> {
  let copy: Record<string, unknown> | null = null;
  for (const field in object) {
    const value = object[field];
    const shown = SECRET_FIELDS.has(field) && value != null ? CENSORED : censoredValue(value, depth);
    if (shown === value) continue;
    copy ??= { ...object };
    copy[field] = shown;
  }
  return copy ?? object;
}

function censoredValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // Errors have a serializer of their own; dates and buffers say themselves what they show.
  if (value instanceof Error || typeof (value as { toJSON?: unknown }).toJSON === 'function') return value;
  if (depth >= DEEPEST) return '[deep]';
  if (!Array.isArray(value)) return censor(value as Record<string, unknown>, depth + 1);
  const members = value.map((member) => censoredValue(member, depth + 1));
  return members.every((member, i) => member === value[i]) ? value : members;
}

/** For what pino itself is told: fields of a line and of a child logger. */
export const SECRET_PATHS: readonly string[] = [...SECRET_FIELDS];
