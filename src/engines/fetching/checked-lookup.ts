/** What Node asks for a host's addresses when it connects: the answer is checked there, so that nothing else is connected to. */
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { createAddressRules } from './addresses.ts';
import { FetchFailed } from './fetching.ts';

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** With `all`, Node tries the addresses in turn. Fails with FetchFailed `not_resolved` or `address_refused`. */
export const checkedLookup =
  (rules: Pick<ReturnType<typeof createAddressRules>, 'allows'>, resolve: Resolve) =>
  (
    hostname: string,
    { all = false }: LookupOptions,
    done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    const checked = async (): Promise<LookupAddress[]> => {
      const found = await resolve(hostname).catch(() => []);
      if (found.length === 0) throw new FetchFailed('not_resolved');
      // One that is refused refuses all: a public name with a private address is set up to deceive, or by mistake.
      if (!found.every(({ address }) => rules.allows(hostname, address))) throw new FetchFailed('address_refused');
      return [...found];
    };
    checked().then(
      (found) => (all ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family)),
      (error: Error) => done(error, []),
    );
  };
