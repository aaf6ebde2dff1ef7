/** `ashlar governance verify FILE`: the votes on a proposal counted anew, without service and database. */
import type { Config } from '../config.ts';
import { createRecount, type Recounted } from '../core/governance/recount.ts';
import { RecountRefused } from '../core/governance/recount-refused.ts';
import { parseArguments } from './arguments.ts';
import { publicKeyOf, takeLines } from './exported-lines.ts';
import { printJson, type Terminal } from './terminal.ts';
import { usage } from './usage-error.ts';

/** Answers 0 where everything holds, whatever the outcome; 1 where something does not: then it names the first. */
export async function governance(_config: Config, args: string[], terminal: Terminal): Promise<number> {
  const [action, ...rest] = args;
  const { values, positionals } = parseArguments({
    args: rest,
    allowPositionals: true,
    options: { key: { type: 'string', multiple: true, default: [] } },
  });
  const [file, ...more] = positionals;
  if (action !== 'verify' || file === undefined || more.length > 0)
    throw usage('ashlar governance verify FILE [--key KEY]…');
  const recount = createRecount(values.key.map(publicKeyOf));
  const at = { line: 0 };
  try {
    const noText = () => new RecountRefused('the line is not UTF-8: export it again');
    await takeLines(file, { doing: 'recounting bytes', at, noText, take: recount.take });
    const recounted = recount.end();
    printJson(terminal, { verified: true, ...present(recounted) });
    terminal.err(`not proven: ${notProven(recounted)}`);
    return 0;
  } catch (error) {
    if (!(error instanceof RecountRefused)) throw error;
    printJson(terminal, { verified: false, line: at.line, place: error.place, problem: error.message });
    terminal.err(`ashlar: line ${at.line}${error.place === null ? '' : `, ${error.place}`}: ${error.message}`);
    return 1;
  }
}

const present = ({ statement, ...recounted }: Recounted) => ({
  proposal_id: statement.proposal_id,
  ...{ dao: statement.dao, network: statement.network, title: statement.title, type: statement.type },
  ...{ status: recounted.status, cancelled: recounted.cancelled },
  votes_for: recounted.votesFor.toString(),
  votes_against: recounted.votesAgainst.toString(),
  total_power: recounted.totalPower.toString(),
  ...{ voters: recounted.voters, votes_cast: recounted.cast, votes_unsigned: recounted.unsigned },
  votes_by_later_keys: recounted.byLaterKeys,
  snapshot: statement.snapshot,
  exported_at: recounted.exportedAt,
  ...{ key_id: recounted.keyId, key: recounted.pinned ? 'given' : 'from the file' },
});

/** What a successful recount leaves open. */
const notProven = ({ pinned, status, unsigned, byLaterKeys }: Recounted): string =>
  [
    ...(pinned ? [] : ['that the audit log is the service’s: compare the key with `ashlar audit key`, or give --key']),
    ...(status === 'active'
      ? [
          'that nobody voted after the last vote in the file, and that the proposal has not ended since: export it again when it has',
        ]
      : []),
    ...(unsigned === 0 ? [] : [`that the holders cast or withdrew ${unsigned} votes without a signature`]),
    ...(byLaterKeys === 0
      ? []
      : [`that the holders wanted the keys enrolled since, which signed ${byLaterKeys} votes`]),
    'that the log has no second record of its creation or end',
    'that voters were shown this text and these parameters: what they signed names the proposal by its id',
    'that each key and address is the person’s who is named with it',
  ].join('; ');
