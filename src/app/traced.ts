/** What requests wait for, each behind its own interface, with a span around it. */
import type { ClosableComputing } from '../engines/computing/all-jobs.ts';
import type { Fetching } from '../engines/fetching/fetching.ts';
import type { Repositories, Store } from '../store/store.ts';
import type { InSpan, SpanAttributes } from '../tracing/tracing.ts';

/** `database write`: a job, from its call to its commit. `database wallets.get`: a read. */
export function tracedStore(store: Store, inSpan: InSpan): Store {
  const attributes = { 'db.system.name': store.kind === 'sqlite' ? 'sqlite' : 'postgresql' };
  const read = Object.fromEntries(
    Object.entries(store.read).map(([noun, repository]) => [
      noun,
      traced(repository as object, `database ${noun}`, attributes, inSpan),
    ]),
  ) as unknown as Repositories;
  return { ...store, read, write: (job) => inSpan('database write', attributes, () => store.write(job)) };
}

/** Every function of it that answers a promise, in a span `<name>.<function>`. */
function traced<T extends object>(target: T, name: string, attributes: SpanAttributes, inSpan: InSpan): T {
  const known = new Map<PropertyKey, unknown>();
  return new Proxy(target, {
    get(_, key) {
      const value = Reflect.get(target, key, target) as unknown;
      if (typeof value !== 'function') return value;
      let within = known.get(key);
      if (within === undefined) {
        const span = `${name}.${String(key)}`;
        within = (...input: unknown[]) =>
          inSpan(span, attributes, async () => Reflect.apply(value, target, input) as unknown);
        known.set(key, within);
      }
      return within;
    },
  });
}

/** `worker psbt.combine`: a job, its wait for a turn included. */
export function tracedComputing(computing: ClosableComputing, inSpan: InSpan): ClosableComputing {
  return {
    ...computing,
    run: (name, given, whose) => inSpan(`worker ${name}`, {}, () => computing.run(name, given, whose)),
    runPart: (name, given, whose) => inSpan(`worker ${name}`, {}, () => computing.runPart(name, given, whose)),
  };
}

/** `GET` of a stranger's URL, by its host: the rest of the URL may hold a secret. */
export function tracedFetching(fetching: Fetching, inSpan: InSpan): Fetching {
  return {
    problem: fetching.problem,
    get(url, ...rest) {
      const host = URL.canParse(url) ? new URL(url).hostname : '';
      return inSpan('GET', { 'http.request.method': 'GET', 'server.address': host }, () => fetching.get(url, ...rest));
    },
  };
}
