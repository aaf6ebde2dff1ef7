/** Debian's syslog-ng on a loopback port: RFC 5425 over TLS, one JSON line for each message that it has parsed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Authority } from './certificates.ts';
import { eventually, freePort } from './service-process.ts';

/** Why tests that need it are skipped, or null where they can run. */
export const noSyslog: string | null =
  spawnSync('syslog-ng', ['--version']).status === 0
    ? null
    : 'there is no syslog-ng on the PATH (Debian: apt-get install syslog-ng-core)';

export interface ReceivedMessage {
  readonly priority: string;
  readonly host: string;
  readonly program: string;
  readonly msgid: string;
  readonly record_id: string;
  readonly position: string;
  readonly message: string;
}

export interface SyslogServer {
  readonly port: number;
  /** Where the lines are written. */
  readonly output: string;
  received(): ReceivedMessage[];
  start(): Promise<void>;
  /** As a crash would. */
  kill(): Promise<void>;
}

/** `clients`: whose certificates are wanted of clients. */
export async function createSyslogServer(
  folder: string,
  authority: Authority,
  clients: Authority | null = null,
): Promise<SyslogServer> {
  const port = await freePort();
  const at = (file: string) => join(folder, file);
  const { certificateFile, keyFile } = authority.issue(`syslog-${port}`);
  const output = at(`messages-${port}`);
  mkdirSync(at('trusted'), { recursive: true });
  const peer =
    clients === null ? 'peer-verify(optional-untrusted)' : `ca-file("${clients.file}") peer-verify(required-trusted)`;
  const sd = (name: string) => `\${.SDATA.ashlar@32473.${name}}`;
  const template =
    `{"priority":"\${PRI}","host":"\${HOST}","program":"\${PROGRAM}","msgid":"\${MSGID}",` +
    `"record_id":"${sd('record_id')}","position":"${sd('position')}","message":$(format-json --scope none m=\${MSG})}`;
  writeFileSync(
    at(`syslog-${port}.conf`),
    `@version: 3.38
options { stats-freq(0); log-msg-size(65536); keep-hostname(yes); use-dns(no); };
source tls { syslog(transport("tls") ip(127.0.0.1) port(${port}) max-connections(50)
  tls(key-file("${keyFile}") cert-file("${certificateFile}") ${peer})); };
destination file { file("${output}" template("${template.replaceAll('"', '\\"')}\\n")); };
log { source(tls); destination(file); };
`,
  );
  let child: ChildProcess | null = null;
  const listens = () =>
    new Promise<true | null>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).on('error', () => resolve(null));
    });
  return {
    port,
    output,
    received: () =>
      existsSync(output)
        ? readFileSync(output, 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line))
            .map((line) => ({ ...line, message: line.message.m }))
        : [],
    async start() {
      const args = ['--foreground', '--no-caps', `--cfgfile=${at(`syslog-${port}.conf`)}`];
      const files = ['control', 'persist', 'pid'].map((name) => at(`syslog-${port}.${name}`));
      const [control = '', persist = '', pid = ''] = files;
      child = spawn('syslog-ng', [...args, `--control=${control}`, `--persist-file=${persist}`, `--pidfile=${pid}`], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      await eventually('syslog-ng listens', listens);
    },
    async kill() {
      if (child === null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      child = null;
      await ended;
    },
  };
}
