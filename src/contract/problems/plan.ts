import type { ProblemKind } from './kind.ts'

/** What can stop a plan or an apply. */
export const planProblems = {
  'plan/renamed': {
    title: 'Looks renamed',
    exit: 3,
    advice: 'If it is the same resource, add was: with the old key.',
  },
  'plan/ambiguous': {
    title: 'Ambiguous match',
    exit: 3,
    advice: 'Name the resource with id:.',
  },
  'plan/missing': {
    title: 'Resource missing',
    exit: 1,
    advice: 'Create it, or correct its key or id.',
  },
  'plan/wrong-class': {
    title: 'Other class on the server',
    exit: 3,
    advice: 'Use another key, or delete the old resource.',
  },
  'plan/foreign': {
    title: 'Managed by another manifest',
    exit: 1,
    advice: 'Remove it from one of the two, or take it over with --adopt.',
  },
  'plan/replace': {
    title: 'Needs replacement',
    exit: 1,
    advice: 'Allow it by key with --replace KEY.',
  },
  'plan/unknown': {
    title: 'Cannot be seen',
    exit: 1,
    advice: 'Use an account that may read it.',
  },
  'plan/fuse': {
    title: 'Too many deletions',
    exit: 1,
    advice: 'Name the resources with --allow-delete KEY, or raise --fuse.',
  },
  'plan/incomplete': {
    title: 'Incomplete reading',
    exit: 1,
    advice: 'Prune with an account that may read the whole tree.',
  },
  'plan/protected': {
    title: 'Resource is protected',
    exit: 1,
    advice: 'Remove protect: true and apply before deleting it.',
  },
  'plan/data-unknown': {
    title: 'Source of the data unknown',
    exit: 1,
    advice: 'Load them anew with --overwrite-data KEY; what is there now is replaced.',
  },
  'plan/data-edited': {
    title: 'Data edited on the server',
    exit: 1,
    advice: 'Overwrite the edits with --overwrite-data KEY, or keep them with data: { mode: seed }.',
  },
  'plan/data-missing': {
    title: 'Data missing',
    exit: 3,
    advice: 'Say in data: { source: … } what it is made of.',
  },
  'plan/principal': {
    title: 'Unknown user or group',
    exit: 3,
    advice: 'Write user:KEYNAME or group:KEYNAME of one that the server has.',
  },
  'plan/orphan': {
    title: 'No longer in the manifest',
    exit: 1,
    advice: 'Delete it with --prune.',
  },
  'plan/taken-along': {
    title: 'Would take others along',
    exit: 1,
    advice: 'Move them away first, or name the resource with --allow-delete KEY.',
  },
  'plan/referenced': {
    title: 'Used by other resources',
    exit: 1,
    advice: 'Change what uses it first, or allow the loss with --allow-loss KEY.',
  },
  'plan/spent': {
    title: 'Old key is spent',
    exit: 3,
    advice: 'Remove was:, it has done its work.',
  },
  'apply/failed': {
    title: 'Apply failed',
    exit: 1,
    advice: 'Mend the cause and run apply again: it goes on where it stopped.',
  },
  'apply/stale': {
    title: 'Plan is stale',
    exit: 1,
    advice: 'Plan again.',
  },
} as const satisfies Record<string, ProblemKind>
