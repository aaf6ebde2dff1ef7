/** docs/operations.md, made from the declarations. */
import { EVENT_TYPES, type EventTypeEntry } from '../../src/core/events/event-types.ts';
import { type AnyOperation, FAMILY_CREDENTIALS, type Family } from '../../src/hooks/operation.ts';

const FAMILIES: Readonly<Record<Family, string>> = {
  a: 'A: transactions, wallets, fees',
  b: 'B: categories',
  c: 'C: platform',
  d: 'D: resources',
  e: 'E: PSBT',
  f: 'F: generation',
  g: 'G: governance',
  oauth: 'OAuth 2.0',
  service: 'The service itself',
};

const HEAD = `<!-- Made from the declarations by \`npm run docs\`: change those, not this. -->
# Operations
Every operation as it is declared (src/hooks/operation.ts); openapi.yaml has their bodies. The hook layer acts on these declarations and on nothing else; the boot
fails on one that says too little, and on a route that has none.

| column | says |
|---|---|
| effect | read changes nothing; write changes stored state or uses a stored secret; compute works on what was sent |
| credentials | key: an API key; OAuth: an OAuth client's access token; user: a person's access token; signature: one without another credential |
| role, scope | what the credential must have at least. admin includes operator includes viewer; \`:write\` includes \`:read\`. "platform": of the account that runs the service. "or own": a person needs neither, nor a signature, for their own record |
| signature | whether a write must carry an RFC 9421 signature (docs/signing.md); one that is sent to a write must hold. "binds the token": a login that is signed gives a token that may write |
| limit | the class it is counted in besides the credential's bucket |
| once | takes an Idempotency-Key, or the signature's nonce: a retry has no second effect |
| audited | all: each request that ran or was refused after authentication; refusals: those refused with 401 or 403; reads: those and each that answered data of people |

Besides these, clients of the WebSockets \`/v1/ws\` and \`/v1/governance/ws\` authenticate by a message (asyncapi.yaml), \`/docs\` and what is under it are public pages, and \`/mcp\` takes an API key with \`ai:read\` and answers by the operations below (ai.md).
`;

const COLUMNS = ['id', 'request', 'effect', 'credentials', 'role', 'scope', 'signature', 'limit', 'once', 'audited'];
const CREDENTIALS = { api_key: 'key', oauth_token: 'OAuth', user_token: 'user', signature: 'signature' } as const;

/** As Markdown, a table for each family. */
export function operationsTable(operations: readonly AnyOperation[]): string {
  const parts = Object.entries(FAMILIES).map(([family, title]) => {
    const its = operations.filter((operation) => operation.family === family);
    if (its.length === 0) return '';
    const sorted = its.toSorted((a, b) => compare(a.path, b.path) || compare(a.method, b.method));
    return `\n## ${title}\n${[COLUMNS, COLUMNS.map(() => '---'), ...sorted.map(rowOf)].map(line).join('\n')}\n`;
  });
  const open = operations.filter(({ access }) => access === 'public').length;
  return `${HEAD}\n${operations.length} operations, ${open} of them public.\n${parts.join('')}${eventTypes()}`;
}

/** As webhooks, rules and devices get them. */
function eventTypes(): string {
  const rows = (Object.entries(EVENT_TYPES) as [string, EventTypeEntry][]).map(([type, entry]) => {
    const { summary, access, record, example } = entry;
    const takes = access === null ? ['', ''] : [access.role, `\`${access.scope}\``];
    return [`\`${type}\``, summary, ...takes, record === null ? '' : `\`${record}\``, `\`${JSON.stringify(example)}\``];
  });
  const columns = ['type', 'says', 'role', 'scope', 'record', 'what the event adds'];
  return `\n## Event types\n\`data\` of an event is the record, as the operation named here answers it, with what the event adds over it; openapi.yaml has the schema of each.\n\n${[columns, columns.map(() => '---'), ...rows].map(line).join('\n')}\n`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function rowOf(operation: AnyOperation): string[] {
  const { id, method, path, effect, access, limitClass, idempotent, auditsReads } = operation;
  return [
    `\`${id}\``,
    `${method} \`${path}\``,
    effect,
    ...accessOf(operation),
    signatureOf(operation),
    limitClass,
    idempotent ? 'yes' : 'no',
    effect === 'write' ? 'all' : access === 'public' ? 'no' : auditsReads ? 'reads' : 'refusals',
  ];
}

function accessOf({ access, credentials, family }: AnyOperation): [credentials: string, role: string, scope: string] {
  if (access === 'public') return ['none: public', '', ''];
  const forms = (credentials ?? FAMILY_CREDENTIALS[family]).map((form) => CREDENTIALS[form]).join(', ');
  const role = `${access.role}${access.platform ? ', platform' : ''}${access.own === undefined ? '' : ', or own'}`;
  return [forms, role, `\`${access.scope}\``];
}

function signatureOf({ effect, access, dryRun, bindsSignature }: AnyOperation): string {
  if (bindsSignature) return 'binds the token';
  if (effect !== 'write' || access === 'public') return 'no';
  if (access.own === true) return 'not for own';
  return ['yes', ...(dryRun ? ['not for a dry run'] : []), ...(access.own ? ['not for own'] : [])].join(', ');
}
