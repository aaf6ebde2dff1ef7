/** `ashlar audit export|verify|key|rotate-key`. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { createAnchorProofs } from '../services/audit/anchor-proofs.ts';
import { SERVICE_LOG } from '../services/audit/audit-entry.ts';
import { logKeyViews } from '../services/audit/audit-log-keys.ts';
import { createExportLog } from '../services/audit/export-log.ts';
import { createLogKeys, type LogKeys } from '../services/audit/log-keys.ts';
import { createTreeHeads } from '../services/audit/tree-heads.ts';
import { openKeyProvider } from '../services/secrets/open-key-provider.ts';
import type { Store } from '../store/store.ts';
import { parseArguments } from './arguments.ts';
import { verifyAudit } from './audit-verify.ts';
import { credentialServices } from './credential-services.ts';
import { progressBar } from './progress-bar.ts';
import { recordCommand } from './record-command.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';
import { withStore } from './with-store.ts';

/** Answers the exit code: 1 where verify found something wrong. */
export async function audit(config: Config, args: string[], terminal: Terminal): Promise<number> {
  const [action, ...rest] = args;
  if (action === 'verify') return verifyAudit(rest, terminal);
  if (action === 'export') await exportAudit(config, rest, terminal);
  else if (action === 'key') await showKeys(config, rest, terminal);
  else if (action === 'rotate-key') await rotateKey(config, rest, terminal);
  else throw usage('ashlar audit export|verify|key|rotate-key');
  return 0;
}

/** Every log, or one, as of now: what is sealed by then. */
async function exportAudit(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: { account: { type: 'string' } },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw usage('ashlar audit export FILE [--account NAME|service]');
  await withStore(config, async (store) => {
    const keys = await logKeysOf(config, store);
    const heads = createTreeHeads({ store, keys, clock: Date.now });
    const exportLog = createExportLog({ store, heads, keys, anchorProofs: createAnchorProofs({ store, chain: null }) });
    const logs = await logsOf(config, store, values.account);
    const handle = await newFile(file);
    const bar = progressBar('exporting logs', process.stderr);
    try {
      for (const [index, log] of logs.entries()) {
        for await (const piece of exportLog(log)) await handle.write(piece);
        bar.show(index + 1, logs.length);
      }
      await handle.sync();
    } finally {
      bar.end();
      await handle.close();
    }
    printJson(terminal, { file, logs: logs.length });
    const { records } = await store.read.audit.unsealed(null, 1);
    if (records.length > 0) {
      terminal.err(
        'There are records that are not sealed yet, and not in the file: the running service seals them in a moment.',
      );
    }
  });
}

async function newFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === 'EEXIST' ? 'is there already: name a file that is not' : `cannot be made (${code})`;
    throw new UsageError(`${file} ${problem}`);
  }
}

async function logsOf(config: Config, store: Store, account: string | undefined): Promise<string[]> {
  if (account === SERVICE_LOG) return [SERVICE_LOG];
  const known = credentialServices(store, config).accounts;
  if (account !== undefined) return [(await known.find(account)).accountId];
  return [SERVICE_LOG, ...(await known.list()).map(({ accountId }) => accountId)];
}

async function showKeys(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const { values } = parseArguments({ args, options: { account: { type: 'string', default: SERVICE_LOG } } });
  await withStore(config, async (store) => {
    const keys = await logKeysOf(config, store);
    await keys.current();
    const [log] = await logsOf(config, store, values.account);
    printJson(terminal, { log, keys: (await logKeyViews(keys, log as string)).map(present) });
  });
}

async function rotateKey(config: Config, args: string[], terminal: Terminal): Promise<void> {
  if (args.length > 0) throw usage('ashlar audit rotate-key');
  await withStore(config, async (store) => {
    const keys = await logKeysOf(config, store);
    await keys.current();
    await keys.rotate();
    printJson(terminal, { keys: (await logKeyViews(keys, SERVICE_LOG)).map(present) });
    terminal.err('Heads are signed by the last key from now on. Tell whoever pinned the former one.');
  });
}

async function logKeysOf({ dataDir, masterKeyFile }: Config, store: Store): Promise<LogKeys> {
  const provider = await openKeyProvider({ store, dataDir, masterKeyFile, randomBytes });
  return createLogKeys({ store, provider, randomBytes, clock: Date.now, recordChange: recordCommand });
}

const present = (key: Awaited<ReturnType<typeof logKeyViews>>[number]) => ({
  key_id: key.keyId,
  public_key: Buffer.from(key.publicKey).toString('base64'),
  verifier: key.verifier,
  created_at: new Date(key.createdAt).toISOString(),
});
