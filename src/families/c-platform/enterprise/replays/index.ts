import type { Replays } from '../../../../services/policies/replay/replay-service.ts';
import { createReplay } from './create-replay.ts';
import { deleteReplay } from './delete-replay.ts';
import { getReplay } from './get-replay.ts';
import { listReplay } from './list-replay.ts';
import { listReplayDifference } from './list-replay-difference.ts';

export const replayOperations = (replays: Replays) => [
  createReplay(replays),
  listReplay(replays),
  getReplay(replays),
  listReplayDifference(replays),
  deleteReplay(replays),
];
