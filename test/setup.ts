/** Properties run on one seed, so that a run can be repeated; FC_SEED names another, or `random`. */
import fc from 'fast-check';

const asked = process.env.FC_SEED ?? '20261120';
if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked) });
