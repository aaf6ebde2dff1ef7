/** The upstreams of AI_CONFIG, whose file is read again at each SIGHUP. */
import { readFile } from 'node:fs/promises';
import { type AiConfig, parseAiConfig } from '../config/ai.ts';
import { ConfigError } from '../config.ts';
import type { Backend } from '../core/inference/backend.ts';
import { createUpstreams } from '../engines/inference/create-upstreams.ts';
import type { InferenceConfig } from '../engines/inference/inference-config.ts';
import { createInferenceCounts, inferenceSeries } from '../engines/inference/inference-series.ts';
import { refuseReadableByOthers } from '../services/secrets/private-file.ts';
import type { AppContext } from './app-context.ts';

/** None where AI_CONFIG is not set. Throws ConfigError where the file, or one that it names, is not as it must be. */
export async function openUpstreams({
  config: { aiConfigFile: file },
  log,
  clock,
  metrics,
  disposables,
}: AppContext): Promise<readonly Backend[]> {
  if (file === null) return [];
  const { metrics: counters, ...counts } = createInferenceCounts();
  const upstreams = createUpstreams(await read(file), { log, clock, counts });
  disposables.defer(() => upstreams.close());
  let isStale = false;
  let reading = Promise.resolve();

  const reload = async (): Promise<void> => {
    try {
      upstreams.reload(await read(file));
      isStale = false;
      log.info({ part: 'inference', models: upstreams.models().length }, 'AI_CONFIG was read again, and holds');
    } catch (error) {
      isStale = true;
      const problems = error instanceof ConfigError ? error.problems : [String(error)];
      log.error(
        { part: 'inference', problems },
        'AI_CONFIG was read again and is wrong: the former configuration holds',
      );
    }
  };
  const onSignal = (): void => {
    reading = reading.then(reload);
  };
  process.on('SIGHUP', onSignal);
  disposables.defer(() => void process.off('SIGHUP', onSignal));
  metrics.add(inferenceSeries({ metrics: counters, circuits: upstreams.circuits, stale: () => isStale }));
  return [upstreams];
}

async function read(file: string): Promise<InferenceConfig> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`AI_CONFIG names ${file}, which cannot be read (${error.code})`]);
  });
  const { config, problems } = parseAiConfig(file, content);
  if (config === undefined) throw new ConfigError(problems);
  return { ...config, upstreams: await Promise.all(config.upstreams.map(withKey)) };
}

async function withKey({ apiKeyFile, ...upstream }: AiConfig['upstreams'][number]) {
  if (apiKeyFile === null) return { ...upstream, apiKey: null };
  const what = `AI_CONFIG: the api_key_file of the upstream ${upstream.name}`;
  try {
    await refuseReadableByOthers(what, apiKeyFile);
    const apiKey = (await readFile(apiKeyFile, 'latin1')).trim();
    if (/^[\x21-\x7e]{1,4096}$/.test(apiKey)) return { ...upstream, apiKey };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError([code === undefined ? message : `${what}, ${apiKeyFile}, cannot be read (${code})`]);
  }
  throw new ConfigError([`${what}, ${apiKeyFile}, must hold a key of printable characters and nothing else`]);
}
