import { type ParseArgsConfig, parseArgs } from 'node:util';
import { closestName } from '../core/closest-name.ts';
import { UsageError } from './usage-error.ts';

/**
 * As node:util's parseArgs. An option that there is not is refused with the one that may be meant, or with those that there are; one
 * without its value with its form.
 */
export function parseArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const [, named] = /^Option '(?:-\w, )?(--[\w-]+)/.exec(message) ?? [];
    if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && named !== undefined) {
      const bare = config.options?.[named.slice(2)]?.type === 'boolean';
      const value = named.slice(2).toUpperCase();
      throw new UsageError(
        bare ? `${named} takes no value` : `${named} needs a value: ${named} ${value} or ${named}=${value}`,
      );
    }
    const [, extra] = /^Unexpected argument '([^']*)'/.exec(message) ?? [];
    if (extra !== undefined) throw new UsageError(`${extra} is not taken here: only options are`);
    const [, given] = /^Unknown option '(-[^']*)'/.exec(message) ?? [];
    if (given === undefined) throw error;
    const known = Object.keys(config.options ?? {});
    const near = closestName(given.replace(/^-+/, ''), known);
    const all = known.length === 0 ? 'it takes none' : `it takes --${known.join(', --')}`;
    throw new UsageError(`there is no option ${given}: ${near === null ? all : `is --${near} meant?`}`);
  }
}
