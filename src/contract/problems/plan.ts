import { core, kind, type ProblemKind } from './kind.ts'

/** What can stop a plan or an apply. */
export const planProblems = {
  'plan/renamed': kind(
    409,
    3,
    'Looks renamed',
    `${core}.ValidationError`,
    'If it is the same resource, add was: with the old key.',
  ),
  'plan/ambiguous': kind(409, 3, 'Ambiguous match', `${core}.ValidationError`, 'Name the resource with id:.'),
  'plan/missing': kind(
    409,
    1,
    'Resource missing',
    `${core}.ValidationError`,
    'Create it, or correct its key or id.',
  ),
  'plan/wrong-class': kind(
    409,
    3,
    'Other class on the server',
    `${core}.ValidationError`,
    'Use another key, or delete the old resource.',
  ),
  'plan/foreign': kind(
    409,
    1,
    'Managed by another manifest',
    `${core}.ValidationError`,
    'Remove it from one of the two, or take it over with --adopt.',
  ),
  'plan/replace': kind(
    409,
    1,
    'Needs replacement',
    `${core}.ValidationError`,
    'Allow it by key with --replace KEY.',
  ),
  'plan/unknown': kind(
    409,
    1,
    'Cannot be seen',
    `${core}.ValidationError`,
    'Use an account that may read it.',
  ),
  'plan/fuse': kind(
    409,
    1,
    'Too many deletions',
    `${core}.ValidationError`,
    'Name the resources with --allow-delete KEY, or raise --fuse.',
  ),
  'plan/incomplete': kind(
    409,
    1,
    'Incomplete reading',
    `${core}.ValidationError`,
    'Prune with an account that may read the whole tree.',
  ),
  'plan/protected': kind(
    409,
    1,
    'Resource is protected',
    `${core}.ValidationError`,
    'Remove protect: true and apply before deleting it.',
  ),
  'plan/spent': kind(
    200,
    3,
    'Old key is spent',
    `${core}.ValidationError`,
    'Remove was:, it has done its work.',
  ),
  'apply/failed': kind(
    500,
    1,
    'Apply failed',
    `${core}.ValidationError`,
    'Mend the cause and run apply again: it goes on where it stopped.',
  ),
  'apply/stale': kind(412, 1, 'Plan is stale', `${core}.ValidationError`, 'Plan again.'),
} as const satisfies Record<string, ProblemKind>
