/** The published description of WebSockets, AsyncAPI 3.0, from the schemas by which their messages are read and written. */
import { messageSchema } from '../../../hooks/input/wire-schema.ts';
import type { SocketDescription, SocketMessage } from '../../../hooks/socket-description.ts';

export interface AsyncApiDocument {
  asyncapi: string;
  info: Record<string, unknown>;
  defaultContentType: string;
  servers: Record<string, Record<string, unknown>>;
  channels: Record<string, Record<string, unknown>>;
  operations: Record<string, Record<string, unknown>>;
  components: { messages: Record<string, Record<string, unknown>> };
}

const DESCRIPTION = `What comes over a WebSocket instead of being asked for again and again. The operations by HTTP are in \`/openapi.json\`.
In this document the service is the application: what it *receives*, a client sends.`;

const HOST = { host: { default: '127.0.0.1:3000', description: 'Host, and port, at which the service is reached' } };
const servers = {
  plain: { host: '{host}', protocol: 'ws', description: 'On the machine itself', variables: HOST },
  tls: { host: '{host}', protocol: 'wss', description: 'Behind a proxy that ends TLS', variables: HOST },
};

export function asyncApiDocument(sockets: readonly SocketDescription[], version: string): AsyncApiDocument {
  const document: AsyncApiDocument = {
    asyncapi: '3.0.0',
    info: { title: 'Ashlar', version, description: DESCRIPTION },
    defaultContentType: 'application/json',
    servers,
    channels: {},
    operations: {},
    components: { messages: {} },
  };
  for (const socket of sockets) add(document, socket);
  return document;
}

function add({ channels, operations, components }: AsyncApiDocument, socket: SocketDescription): void {
  const { name: channel, prefix, path, title, description, requests, answers, updates } = socket;
  const messages = { ...requests, ...answers, ...updates };
  for (const [name, message] of Object.entries(messages)) {
    components.messages[prefix + name] = describe(name, message);
  }
  channels[channel] = {
    address: path,
    title,
    description,
    servers: Object.keys(servers).map((name) => ({ $ref: `#/servers/${name}` })),
    messages: Object.fromEntries(
      Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${prefix}${name}` }]),
    ),
    bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
  };
  const channelRef = { $ref: `#/channels/${channel}` };
  const messageRef = (name: string) => ({ $ref: `#/channels/${channel}/messages/${name}` });
  for (const [name, request] of Object.entries(requests)) {
    operations[`receive-${prefix}${name}`] = {
      action: 'receive',
      channel: channelRef,
      summary: request.summary,
      ...(request.description === undefined ? {} : { description: request.description }),
      messages: [messageRef(name)],
      reply: { channel: channelRef, messages: request.answers.map(messageRef) },
    };
  }
  for (const [name, { summary, scope }] of Object.entries(updates)) {
    operations[`send-${prefix}${name}`] = {
      action: 'send',
      channel: channelRef,
      summary,
      description: scope === null ? 'For every credential.' : `The credential needs scope \`${scope}\`.`,
      messages: [messageRef(name)],
    };
  }
}

function describe(name: string, { summary, schema, example }: SocketMessage) {
  return { name, summary, payload: messageSchema(schema), examples: [{ payload: example }] };
}
