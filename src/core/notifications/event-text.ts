/** The text of an event's notification. */
import { EVENT_TYPES, type EventType } from '../events/event-types.ts';

type Json = Readonly<Record<string, unknown>>;

/** Members that it lists, in this order. */
const TOLD = [
  ...['direction', 'amount', 'label', 'txid', 'status', 'wallet_id', 'contract_id', 'outcome', 'approval_id'],
  ...['operation', 'target', 'by', 'remote_address', 'kind', 'id', 'name', 'height', 'webhook_id', 'url', 'reason'],
  ...['title', 'proposal_id', 'vote', 'voting_power', 'execution_status', 'holder_id', 'delegate_id'],
  ...['expires_at', 'size'],
];
const MAX_VALUE = 120;
const MAX_LINE = 180;

/** Markdown's code: values are shown as they are, whatever they hold. */
function code(value: unknown): string {
  const text = String(value)
    .replaceAll(/[`\s\p{Cc}]+/gu, ' ')
    .trim();
  return `\`${text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}\``;
}

/** Name and value, in Markdown. */
const facts = (data: Json): string[] =>
  TOLD.flatMap((name) => {
    const value = data[name];
    const isTold = (typeof value === 'string' && value !== '') || typeof value === 'number';
    return isTold ? [`${name}: ${code(value)}`] : [];
  });

/** One line: what happened, and of a payment how much and which way. */
export const eventSubject = (type: EventType, { amount, direction }: Json): string =>
  EVENT_TYPES[type].summary + (typeof amount === 'string' && direction ? `: ${amount} BTC ${direction}` : '');

/** Markdown: of one event. */
export const eventText = (type: EventType, data: Json): string =>
  [`**${type}**`, '', ...facts(data).map((fact) => `- ${fact}`)].join('\n');

/** The same in a line, without Markdown's list. */
export function eventLine(type: EventType, at: number, data: Json): string {
  let line = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC **${type}**`;
  for (const fact of facts(data)) if (line.length + fact.length + 2 <= MAX_LINE) line += `, ${fact}`;
  return line;
}

/** Of the most that a digest lists: the rest is counted. */
export const MAX_LINES = 25;

export function digestText(count: number, lines: readonly string[]): { subject: string; body: string } {
  const more = count - lines.length;
  const listed = lines.map((line) => `- ${line}`);
  return {
    subject: count === 1 ? '1 event' : `${count} events`,
    body: [...listed, ...(more > 0 ? ['', `and ${more} more`] : [])].join('\n'),
  };
}
