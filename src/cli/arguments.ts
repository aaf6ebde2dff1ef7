import { type ParseArgsConfig, parseArgs } from 'node:util';
import { likely } from '../core/likely.ts';
import { UsageError } from './usage-error.ts';

/** As node:util's parseArgs; an option that there is not is refused with the one that may be meant, or with those that there are. */
export function parseArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const [, given] = /^Unknown option '(-[^']*)'/.exec((error as Error).message) ?? [];
    if (given === undefined) throw error;
    const known = Object.keys(config.options ?? {});
    const near = likely(given.replace(/^-+/, ''), known);
    const all = known.length === 0 ? 'it takes none' : `it takes --${known.join(', --')}`;
    throw new UsageError(`there is no option ${given}: ${near === null ? all : `is --${near} meant?`}`);
  }
}
